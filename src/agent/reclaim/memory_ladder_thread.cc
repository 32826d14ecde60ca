#include "agent/reclaim/memory_ladder_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>

#include "ports/inheriting_mutex.h"

namespace jettison {
namespace {

constexpr Duration kSpacing = std::chrono::seconds(5);

}  // namespace

// What the thread uses, also when it has been left behind.
struct MemoryLadderThread::Work {
  const std::shared_ptr<Cgroups> groups;
  const std::shared_ptr<GroupMemory> memory;
  const std::shared_ptr<const Clock> clock;
  std::atomic<bool> stop = false;
  std::atomic<bool> climbing = false;
  CpuSamples samples;  // of the thread
  InheritingMutex mutex;
  std::vector<ReclaimedMemory> reclaimed;  // guarded by mutex
  std::vector<Error> errors;               // guarded by mutex

  explicit Work(const MemoryLadderEdges& edges)
      : groups(edges.groups), memory(edges.memory), clock(edges.clock) {}
  void Do(const MemoryClimb& climb);
};

void MemoryLadderThread::Work::Do(const MemoryClimb& climb) {
  ClimbOutcome outcome = Climb(climb,
                               {.groups = *groups,
                                .memory = *memory,
                                .clock = *clock,
                                .stop = [this] { return stop.load(); }},
                               samples);
  const std::lock_guard lock(mutex);
  climbing = false;  // a caller that gets this climb's result may ask for the next
  std::ranges::move(outcome.reclaimed, std::back_inserter(reclaimed));
  std::ranges::move(outcome.errors, std::back_inserter(errors));
}

MemoryLadderThread::MemoryLadderThread(MemoryLadderSettings settings, MemoryLadderEdges edges)
    : settings_(std::move(settings)),
      log_(edges.log),
      group_of_(std::move(edges.group_of)),
      work_(std::make_shared<Work>(edges)) {}

MemoryLadderThread::~MemoryLadderThread() {
  work_->stop = true;
  if (work_->climbing) (void)thread_.FinishWithin(kBriefEndPatience);
}

MemoryClimb MemoryLadderThread::Plan(std::uint64_t goal,
                                     std::span<const PodFacts* const> pods) const {
  MemoryClimb climb{.goal = goal,
                    .pods_group = settings_.pods_group,
                    .pods = {},
                    .estimator = settings_.estimator};
  if (settings_.reclaim != MemoryReclaim::kIdle) return climb;
  for (const PodFacts* facts : pods) {
    if (!MayBeSqueezed(*facts)) continue;
    std::string group = group_of_(*facts);
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
    work_->stop = true;
    return;
  }
  if (!thread_.running() || work_->climbing || (began_ && now - *began_ < kSpacing)) return;
  began_ = now;
  Begin(Plan(goal, pods));
}

void MemoryLadderThread::Begin(MemoryClimb climb) {
  work_->stop = false;
  work_->climbing = true;
  thread_.Do([work = work_, climb = std::move(climb)] { work->Do(climb); });
}

std::vector<ReclaimedMemory> MemoryLadderThread::TakeReclaimed() {
  std::vector<ReclaimedMemory> reclaimed;
  std::vector<Error> errors;
  {
    const std::lock_guard lock(work_->mutex);
    reclaimed = std::exchange(work_->reclaimed, {});
    errors = std::exchange(work_->errors, {});
  }
  for (const ReclaimedMemory& taken : reclaimed) {
    log_.Info("memory was reclaimed from a group", {{"step", NameOf(taken.step)},
                                                    {"group", taken.group},
                                                    {"bytes", fmt::format("{}", taken.bytes)}});
  }
  if (!errors.empty() && say_unavailable_.Take()) {
    log_.Warn("memory cannot be reclaimed from groups", {{"err", errors.front().message}});
  }
  return reclaimed;
}

}  // namespace jettison
