#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/snapshot.h"

namespace jettison {

// Events that are equal but for their time, as one: the newest of them, and how many there were.
struct CountedEvent {
  const LoggedEvent* last = nullptr;
  Instant first;  // when the oldest of them happened
  int count = 1;
};

// Equal are events of the same object, type, reason and message, as client-go's correlator has it
// (tools/record/events_cache.go); as far back as the list goes. By their newest, oldest first.
[[nodiscard]] std::vector<CountedEvent> Correlated(const std::vector<LoggedEvent>& events);

// One of the list, counted with its equals before it.
[[nodiscard]] CountedEvent CountedUntil(const std::vector<LoggedEvent>& events,
                                        const LoggedEvent& event);

// One as a v1.Event.
[[nodiscard]] std::string EventJson(const CountedEvent& event, std::string_view node_name);

// All of them as a v1.EventList.
[[nodiscard]] std::string EventListJson(const Snapshot& snapshot);

}  // namespace jettison
