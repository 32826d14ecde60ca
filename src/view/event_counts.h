#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "core/model/event.h"
#include "core/units/duration.h"

namespace jettison {

// Counts events that differ only in their time: events of the same object, type, reason and message
// (client-go: tools/record/events_cache.go). Of more than `capacity` different events, the one that
// last happened longest ago is forgotten.
class EventCounts {
 public:
  explicit EventCounts(std::size_t capacity = 1024) : capacity_(capacity) {}

  struct Count {
    Instant first;  // when the first of them happened
    int times = 0;  // with this one
  };
  // Counts one that happens now.
  Count Add(Instant at, const std::string& pod, const Event& event);

 private:
  struct Entry {
    Count count;
    std::uint64_t turn = 0;  // when it last happened, in calls of Add
  };
  void ForgetOne();

  std::size_t capacity_;
  std::map<std::string, Entry> entries_;
  std::uint64_t turns_ = 0;
};

}  // namespace jettison
