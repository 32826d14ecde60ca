#pragma once

#include <string>
#include <string_view>

#include "view/snapshot.h"

namespace jettison {

// One as a v1.Event, counted with its equals before it.
[[nodiscard]] std::string EventJson(const LoggedEvent& event, std::string_view node_name);

// Those that are remembered as a v1.EventList, oldest first. Of events that are equal but for their
// time (view/event_counts.h) there is the newest, which has the count.
[[nodiscard]] std::string EventListJson(const Snapshot& snapshot);

}  // namespace jettison
