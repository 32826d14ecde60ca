#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "core/model/eviction.h"
#include "machine/log/log.h"
#include "view/snapshot.h"

namespace jettison {

// The last events of the node and its pods. Each is logged once when it is added. Of events that
// differ only in their time there is the last one, with their number (client-go:
// tools/record/events_cache.go). The oldest is forgotten when there are too many, but the last
// evictions stay, whatever happens after them.
class EventLog {
 public:
  static constexpr std::size_t kPastEvictions = 16;

  EventLog(const Log& log, std::size_t capacity) : log_(log), capacity_(capacity) {}

  // `pod`: "namespace/name" of the pod it is about, empty for the node. `refused_for`: as in
  // LoggedEvent.
  void Add(Instant at, std::string pod, Event event, std::string refused_for = "");

  // Oldest first.
  [[nodiscard]] const std::deque<LoggedEvent>& events() const { return events_; }
  // How many were ever added.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  void ForgetOne();

  const Log& log_;
  std::size_t capacity_;
  std::deque<LoggedEvent> events_;
  std::uint64_t count_ = 0;
};

}  // namespace jettison
