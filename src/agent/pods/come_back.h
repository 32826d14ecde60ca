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

// The evicted pod that is started again now, if any: a pod of the highest waiting priority whose
// back-off is over and which admission accepts; among several, the one whose back-off ended first,
// then by name. A pod of lower priority waits while one of higher priority is in its back-off or
// refused.
[[nodiscard]] std::optional<std::size_t> NextToComeBack(std::span<const WaitingPod> waiting,
                                                        Instant now);

// When NextToComeBack will next return a pod if only the time changes; absent: never.
[[nodiscard]] std::optional<Instant> NextComeBackAt(std::span<const WaitingPod> waiting);

}  // namespace jettison
