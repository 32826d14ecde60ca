#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "agent/log/log.h"
#include "core/model/event.h"
#include "view/event_counts.h"
#include "view/snapshot.h"

namespace jettison {

// The last events of the node and its pods. Each is logged once when it is added; the oldest is
// forgotten when there are too many, but the last evictions stay, whatever happens after them.
class EventLog {
 public:
  static constexpr std::size_t kEvictionsKept = 16;

  EventLog(const Log& log, std::size_t capacity) : log_(log), capacity_(capacity) {}

  // `pod`: "namespace/name" of the pod it is about, empty for the node. `refused_for`: as in
  // LoggedEvent.
  void Add(Instant at, std::string pod, Event event, std::string refused_for = "");

  // Takes over an event of an earlier agent, which has been logged. Before the first Add.
  void Recall(Instant at, std::string pod, Event event);

  // Oldest first.
  [[nodiscard]] const std::deque<LoggedEvent>& events() const { return events_; }
  // How many were ever added.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // How many of those, the first ones, are of an earlier agent, which has reported them.
  [[nodiscard]] std::uint64_t recalled() const { return recalled_; }

 private:
  void Put(Instant at, std::string pod, Event event, std::string refused_for);
  void ForgetOne();

  const Log& log_;
  std::size_t capacity_;
  std::deque<LoggedEvent> events_;
  std::uint64_t count_ = 0;
  std::uint64_t recalled_ = 0;
  EventCounts counts_;
};

}  // namespace jettison
