#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/edges/edges.h"
#include "agent/log/log.h"
#include "agent/loop/background_thread.h"
#include "agent/reclaim/memory_climb.h"
#include "core/units/once.h"

namespace jettison {

struct MemoryLadderSettings {
  MemoryReclaim reclaim = MemoryReclaim::kDead;
  std::string pods_group;
  MemoryEstimator estimator = MemoryEstimator::kWorkingSet;
};

// What the ladder works with.
struct MemoryLadderEdges {
  // Shared with the thread, which may be left behind.
  std::shared_ptr<Cgroups> groups;
  std::shared_ptr<GroupMemory> memory;
  std::shared_ptr<const Clock> clock;
  const Log& log;  // must outlive the ladder
  // The group of a pod that may be squeezed; empty: it is foreign.
  std::function<std::string(const PodFacts&)> group_of;
};

// Runs climbs on a thread of its own, one at a time and at most one in 5 s, so that the loop never
// waits for the kernel. Passes run as usual and observe the freed memory. A climb stops before its
// next request to the kernel when a hard threshold is met, when no memory is missing any more, or
// at the end of the agent. A request that takes longer than kBriefEndPatience is then left behind.
class MemoryLadderThread : public MemoryLadder {
 public:
  MemoryLadderThread(MemoryLadderSettings settings, MemoryLadderEdges edges);
  MemoryLadderThread(const MemoryLadderThread&) = delete;
  MemoryLadderThread& operator=(const MemoryLadderThread&) = delete;
  ~MemoryLadderThread() override;

  void Seen(std::span<const Threshold> thresholds, const Observations& observations,
            std::span<const PodFacts* const> pods, Instant now) override;
  [[nodiscard]] std::vector<ReclaimedMemory> TakeReclaimed() override;

 private:
  struct Work;
  [[nodiscard]] MemoryClimb Plan(std::uint64_t goal, std::span<const PodFacts* const> pods) const;
  void Begin(MemoryClimb climb);

  const MemoryLadderSettings settings_;
  const Log& log_;
  const std::function<std::string(const PodFacts&)> group_of_;
  std::optional<Instant> began_;      // the last climb
  Once say_unavailable_;              // that groups cannot be asked
  const std::shared_ptr<Work> work_;  // with the thread
  BackgroundThread thread_{{"memory-ladder", "no memory is taken back from dead and idle groups"},
                           AtEnd::kLeave};
};

// Takes nothing: for a dry run.
class DryRunGroupMemory : public GroupMemory {
 public:
  explicit DryRunGroupMemory(std::shared_ptr<GroupMemory> real) : real_(std::move(real)) {}
  [[nodiscard]] Result<void> Take(std::string_view, std::uint64_t) override { return {}; }
  [[nodiscard]] Result<std::uint64_t> CpuTimeUs(std::string_view group) override {
    return real_->CpuTimeUs(group);
  }

 private:
  std::shared_ptr<GroupMemory> real_;
};

}  // namespace jettison
