#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/pods/pod_facts.h"

namespace jettison {

// The pod that the kernel would kill when a node of that many bytes has no memory left: the one
// that uses the most, weighted by oom_score_adj (mm/oom_kill.c, oom_badness). Absent where no pod
// may be killed.
[[nodiscard]] std::optional<std::size_t> FirstForTheKernel(std::span<const ActivePod> pods,
                                                           std::int64_t capacity);

}  // namespace jettison
