#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/units/duration.h"

namespace jettison {

// An evicted pod that waits to be started again.
struct WaitingPod {
  std::string_view name;  // "namespace/name"
  std::int32_t priority = 0;
  Instant due;            // the end of its back-off
  bool admitted = false;  // admission would let it in now
};

// The evicted pod that is started again next, when its back-off is over: one of the highest waiting
// priority that admission accepts; among several, the one whose back-off ends first, then by name.
// A pod of lower priority waits while one of higher priority is in its back-off or refused. Absent:
// no change of time alone brings one.
[[nodiscard]] std::optional<std::size_t> NextToComeBack(std::span<const WaitingPod> waiting);

}  // namespace jettison
