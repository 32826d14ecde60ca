#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/pods/pod_facts.h"

namespace jettison {

// Whom the kernel would kill where a node of that many bytes has no memory left: who has the most,
// weighed by oom_score_adj (mm/oom_kill.c, oom_badness). None where nobody may be killed.
[[nodiscard]] std::optional<std::size_t> FirstForTheKernel(std::span<const ActivePod> pods,
                                                           std::int64_t capacity);

}  // namespace jettison
