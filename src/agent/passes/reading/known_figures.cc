#include "agent/passes/reading/known_figures.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace jettison {

// Few pods appear or disappear at a time, and those that stay keep their order.
bool KnownFigures::Keep(std::span<const PodFacts* const> pods) {
  const auto uid = [](const PodFacts* facts) -> const std::string& { return facts->pod.uid; };
  if (std::ranges::equal(pods, pods_) && std::ranges::equal(pods, uids_, {}, uid)) return false;
  std::vector<std::uint64_t> memory(pods.size());
  std::vector<std::uint64_t> tasks(pods.size());
  auto next = uids_.begin();
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const auto found = std::find(next, uids_.end(), uid(pods[i]));
    if (found == uids_.end()) continue;
    const auto place = static_cast<std::size_t>(found - uids_.begin());
    memory[i] = memory_[place];
    tasks[i] = tasks_[place];
    next = found + 1;
  }
  pods_.assign(pods.begin(), pods.end());
  uids_.clear();
  std::ranges::transform(pods, std::back_inserter(uids_), uid);
  memory_ = std::move(memory);
  tasks_ = std::move(tasks);
  return true;
}

void KnownFigures::Take(std::span<const PodStats> stats) {
  for (std::size_t i = 0; i < stats.size(); ++i) {
    memory_[i] = stats[i].memory_working_set_bytes.value_or(memory_[i]);
    tasks_[i] = stats[i].process_count.value_or(tasks_[i]);
  }
}

}  // namespace jettison
