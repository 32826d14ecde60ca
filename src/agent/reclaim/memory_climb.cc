#include "agent/reclaim/memory_climb.h"

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kClimbPatience = std::chrono::seconds(5);
constexpr std::uint64_t kAtOnce = std::uint64_t{16} << 20;  // some 10 ms of the kernel's time
constexpr int kDeepest = 4;  // pods' group, its class, the pod, the container

std::uint64_t TakenOf(const CgroupMemory& memory, MemoryEstimator estimator) {
  return estimator == MemoryEstimator::kWorkingSet ? memory.WorkingSet()
                                                   : memory.WithoutFilePages();
}

std::uint64_t Less(std::uint64_t before, std::uint64_t after) {
  return before > after ? before - after : 0;
}

// Adds a group without processes as a whole, or else looks at the groups below it. A group that
// vanishes meanwhile is no candidate.
void AddDead(Cgroups& groups, const std::string& group, int depth, std::vector<LadderGroup>& dead) {
  const auto processes = groups.Processes(group);
  if (!processes) return;
  if (processes->empty()) {
    const auto memory = groups.ReadMemory(group);
    if (memory) dead.push_back({.group = group, .bytes = memory->usage});
    return;
  }
  if (depth == 0) return;
  const auto below = groups.Children(group);
  if (!below) return;
  for (const std::string& name : *below) AddDead(groups, group + "/" + name, depth - 1, dead);
}

// Whether the group has hardly run since its last sample; takes a new sample if the old one is used
// up.
bool HardlyRan(const std::string& group, const MemoryClimbEdges& edges, CpuSamples& samples) {
  const auto used = edges.memory.CpuTimeUs(group);
  if (!used) return false;
  const CpuSample now{.used_us = *used, .at = edges.clock.Now()};
  const auto known = samples.find(group);
  if (known == samples.end()) {
    samples.emplace(group, now);
    return false;
  }
  const bool idle = IsIdle(known->second, now);
  if (now.at - known->second.at >= kCpuSampleLeast) known->second = now;
  return idle;
}

std::vector<LadderGroup> IdleOf(const MemoryClimb& climb, const MemoryClimbEdges& edges,
                                CpuSamples& samples) {
  std::vector<LadderGroup> idle;
  for (const SqueezedPod& pod : climb.pods) {
    if (!HardlyRan(pod.group, edges, samples)) continue;
    const auto memory = edges.groups.ReadMemory(pod.group);
    if (!memory) continue;
    idle.push_back({.step = MemoryReclaim::kIdle,
                    .group = pod.group,
                    .priority = pod.priority,
                    .bytes = memory->usage});
  }
  std::erase_if(samples, [&](const auto& sample) {
    return std::ranges::none_of(climb.pods,
                                [&](const SqueezedPod& pod) { return pod.group == sample.first; });
  });
  return idle;
}

class Climber {
 public:
  Climber(const MemoryClimb& climb, const MemoryClimbEdges& edges)
      : climb_(climb), edges_(edges), until_(edges.clock.Now() + kClimbPatience) {}

  [[nodiscard]] bool Over() const {
    return gained_ >= climb_.goal || edges_.stop() || edges_.clock.Now() >= until_;
  }

  void Ask(const LadderGroup& group) {
    const auto before = edges_.groups.ReadMemory(group.group);
    if (!before) return;
    CgroupMemory at = *before;
    bool gives = true;
    const std::uint64_t gained_before = gained_;
    while (gives && !Over()) {
      if (auto taken = edges_.memory.Take(group.group, kAtOnce); !taken) {
        if (taken.error().code != ErrorCode::kNotFound) outcome_.errors.push_back(taken.error());
        break;
      }
      const auto now = edges_.groups.ReadMemory(group.group);
      if (!now) break;
      gives = now->usage < at.usage;
      at = *now;
      gained_ =
          gained_before + Less(TakenOf(*before, climb_.estimator), TakenOf(at, climb_.estimator));
    }
    outcome_.reclaimed.push_back(
        {.step = group.step, .group = group.group, .bytes = Less(before->usage, at.usage)});
  }

  [[nodiscard]] ClimbOutcome TakeOutcome() { return std::move(outcome_); }

 private:
  const MemoryClimb& climb_;
  const MemoryClimbEdges& edges_;
  const Instant until_;
  std::uint64_t gained_ = 0;  // bytes that have become available
  ClimbOutcome outcome_;
};

}  // namespace

ClimbOutcome Climb(const MemoryClimb& climb, const MemoryClimbEdges& edges, CpuSamples& samples) {
  Climber climber(climb, edges);
  std::vector<LadderGroup> groups = IdleOf(climb, edges, samples);
  AddDead(edges.groups, climb.pods_group, kDeepest, groups);
  for (const LadderGroup& group : LadderOrder(std::move(groups))) {
    if (climber.Over()) break;
    climber.Ask(group);
  }
  return climber.TakeOutcome();
}

}  // namespace jettison
