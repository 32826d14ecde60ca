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

// Which of the evicted pods comes back now, if any: one of the highest priority that waits, whose
// back-off is over and whom admission lets in; among several the one that is due the longest, then
// by name. A pod of lower priority gives way: it stays out while one of higher priority waits, be
// it in its back-off or refused.
[[nodiscard]] std::optional<std::size_t> NextToComeBack(std::span<const WaitingPod> waiting,
                                                        Instant now);

// When NextToComeBack will next have one to name, should nothing change but the time; absent:
// never.
[[nodiscard]] std::optional<Instant> NextComeBackAt(std::span<const WaitingPod> waiting);

}  // namespace jettison
