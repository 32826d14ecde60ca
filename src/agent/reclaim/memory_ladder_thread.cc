#include "agent/reclaim/memory_ladder_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kSpacing = std::chrono::seconds(5);

}  // namespace

MemoryClimb MemoryLadderThread::Plan(std::uint64_t goal,
                                     std::span<const PodFacts* const> pods) const {
  MemoryClimb climb{.goal = goal,
                    .pods_group = settings_.pods_group,
                    .pods = {},
                    .estimator = settings_.estimator};
  if (settings_.reclaim != MemoryReclaim::kIdle) return climb;
  for (const PodFacts* facts : pods) {
    if (!MayBeSqueezed(*facts)) continue;
    std::string group = edges_.group_of(*facts);
    if (group.empty()) continue;
    climb.pods.push_back({.group = std::move(group), .priority = facts->priority});
  }
  return climb;
}

void MemoryLadderThread::Seen(std::span<const Threshold> thresholds,
                              const Observations& observations,
                              std::span<const PodFacts* const> pods, Instant now) {
  const std::uint64_t goal = LadderGoal(thresholds, observations);
  if (goal == 0) {
    stop_ = true;
    return;
  }
  if (!thread_.running() || climbing_ || (began_ && now - *began_ < kSpacing)) return;
  began_ = now;
  Begin(Plan(goal, pods));
}

void MemoryLadderThread::Begin(MemoryClimb climb) {
  stop_ = false;
  climbing_ = true;
  thread_.Do([this, climb = std::move(climb)] {
    ClimbOutcome outcome = Climb(climb,
                                 {.groups = edges_.groups,
                                  .memory = edges_.memory,
                                  .clock = edges_.clock,
                                  .stop = [this] { return stop_.load(); }},
                                 samples_);
    const std::lock_guard lock(mutex_);
    climbing_ = false;  // a caller that gets this climb's result may ask for the next
    std::ranges::move(outcome.reclaimed, std::back_inserter(reclaimed_));
    std::ranges::move(outcome.errors, std::back_inserter(errors_));
  });
}

std::vector<ReclaimedMemory> MemoryLadderThread::TakeReclaimed() {
  std::vector<ReclaimedMemory> reclaimed;
  std::vector<Error> errors;
  {
    const std::lock_guard lock(mutex_);
    reclaimed = std::exchange(reclaimed_, {});
    errors = std::exchange(errors_, {});
  }
  for (const ReclaimedMemory& taken : reclaimed) {
    edges_.log.Info("memory was reclaimed from a group",
                    {{"step", NameOf(taken.step)},
                     {"group", taken.group},
                     {"bytes", fmt::format("{}", taken.bytes)}});
  }
  if (!errors.empty() && say_unavailable_.Take()) {
    edges_.log.Warn("memory cannot be reclaimed from groups", {{"err", errors.front().message}});
  }
  return reclaimed;
}

}  // namespace jettison
