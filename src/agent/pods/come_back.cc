#include "agent/pods/come_back.h"

#include <algorithm>
#include <tuple>

namespace jettison {
namespace {

// Calls `consider` with the index of each pod of the highest priority that admission accepts.
template <typename Consider>
void ForEachCandidate(std::span<const WaitingPod> waiting, const Consider& consider) {
  if (waiting.empty()) return;
  const std::int32_t highest =
      std::ranges::max_element(waiting, {}, &WaitingPod::priority)->priority;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i].priority == highest && waiting[i].admitted) consider(i);
  }
}

}  // namespace

std::optional<std::size_t> NextToComeBack(std::span<const WaitingPod> waiting, Instant now) {
  std::optional<std::size_t> next;
  ForEachCandidate(waiting, [&](std::size_t i) {
    const WaitingPod& pod = waiting[i];
    if (pod.due > now) return;
    if (!next || std::tie(pod.due, pod.name) < std::tie(waiting[*next].due, waiting[*next].name)) {
      next = i;
    }
  });
  return next;
}

std::optional<Instant> NextComeBackAt(std::span<const WaitingPod> waiting) {
  std::optional<Instant> next;
  ForEachCandidate(waiting, [&](std::size_t i) {
    if (!next || waiting[i].due < *next) next = waiting[i].due;
  });
  return next;
}

}  // namespace jettison
