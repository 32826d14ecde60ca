#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
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

// What the ladder works with; everything must outlive it.
struct MemoryLadderEdges {
  Cgroups& groups;
  GroupMemory& memory;
  const Clock& clock;
  const Log& log;
  // The group of a pod that may be squeezed; empty: it is foreign.
  std::function<std::string(const PodFacts&)> group_of;
};

// Runs climbs on a thread of its own, one at a time and at most one in 5 s, so that the loop never
// waits for the kernel. Passes run as usual and observe the freed memory. A climb stops before its
// next request to the kernel when a hard threshold is met, or when no memory is missing any more.
class MemoryLadderThread : public MemoryLadder {
 public:
  MemoryLadderThread(MemoryLadderSettings settings, MemoryLadderEdges edges)
      : settings_(std::move(settings)), edges_(std::move(edges)) {}
  MemoryLadderThread(const MemoryLadderThread&) = delete;
  MemoryLadderThread& operator=(const MemoryLadderThread&) = delete;
  ~MemoryLadderThread() override { stop_ = true; }

  void Seen(std::span<const Threshold> thresholds, const Observations& observations,
            std::span<const PodFacts* const> pods, Instant now) override;
  [[nodiscard]] std::vector<ReclaimedMemory> TakeReclaimed() override;

 private:
  [[nodiscard]] MemoryClimb Plan(std::uint64_t goal, std::span<const PodFacts* const> pods) const;
  void Begin(MemoryClimb climb);

  const MemoryLadderSettings settings_;
  const MemoryLadderEdges edges_;
  std::optional<Instant> began_;  // the last climb
  Once say_unavailable_;          // that groups cannot be asked
  std::atomic<bool> stop_ = false;
  std::atomic<bool> climbing_ = false;
  CpuSamples samples_;  // of the thread
  std::mutex mutex_;
  std::vector<ReclaimedMemory> reclaimed_;  // guarded by mutex_
  std::vector<Error> errors_;               // guarded by mutex_
  // The last member: it ends first.
  BackgroundThread thread_{{"memory-ladder", "no memory is taken back from dead and idle groups"}};
};

// Takes nothing: for a dry run.
class DryRunGroupMemory : public GroupMemory {
 public:
  explicit DryRunGroupMemory(GroupMemory& real) : real_(real) {}
  [[nodiscard]] Result<void> Take(std::string_view, std::uint64_t) override { return {}; }
  [[nodiscard]] Result<std::uint64_t> CpuTimeUs(std::string_view group) override {
    return real_.CpuTimeUs(group);
  }

 private:
  GroupMemory& real_;
};

}  // namespace jettison
