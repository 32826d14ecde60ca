#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "core/decide/ranking.h"
#include "core/explanation/explanation.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

[[nodiscard]] PodIdentity IdentityOf(const PodFacts& facts);

inline constexpr std::size_t kEveryPod = std::numeric_limits<std::size_t>::max();

// The order of eviction for one signal. Of more than `limit` pods, only `limit` neighbours of the
// victim, which is an index of `pods`, are listed; without a victim, the first ones.
[[nodiscard]] PodOrder OrderOf(std::span<const ActivePod> pods, Signal signal, DiskLayout layout,
                               Candidates candidates, std::optional<std::size_t> chosen,
                               std::size_t limit = kEveryPod);

}  // namespace jettison
