#include "core/pods/come_back.h"

#include <algorithm>
#include <tuple>

namespace jettison {

std::optional<std::size_t> NextToComeBack(std::span<const WaitingPod> waiting) {
  if (waiting.empty()) return std::nullopt;
  const std::int32_t highest =
      std::ranges::max_element(waiting, {}, &WaitingPod::priority)->priority;
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const WaitingPod& pod = waiting[i];
    if (pod.priority != highest || !pod.admitted) continue;
    if (!next || std::tie(pod.due, pod.name) < std::tie(waiting[*next].due, waiting[*next].name)) {
      next = i;
    }
  }
  return next;
}

}  // namespace jettison
