#include "agent/passes/reading/known_figures.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace jettison {

// Few pods appear or disappear at a time, and those that stay keep their order.
bool KnownFigures::Keep(std::span<const PodFacts* const> pods) {
  if (std::ranges::equal(pods, pods_)) return false;
  std::vector<std::uint64_t> memory(pods.size());
  std::vector<std::uint64_t> tasks(pods.size());
  auto next = pods_.begin();
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const auto found = std::find(next, pods_.end(), pods[i]);
    if (found == pods_.end()) continue;
    const auto place = static_cast<std::size_t>(found - pods_.begin());
    memory[i] = memory_[place];
    tasks[i] = tasks_[place];
    next = found + 1;
  }
  pods_.assign(pods.begin(), pods.end());
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
