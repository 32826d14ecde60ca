// Each line that an explanation prints of what would have happened otherwise is true: the pass is
// run again with what the line names, and with all that follows from it on a node.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "apply/pass.h"
#include "core/explain/explain.h"
#include "core/explanation/explanation_text.h"
#include "core/thresholds/threshold_settings.h"
#include "tests/random_scenario.h"

namespace jettison {
namespace {

using Change = Otherwise::Change;

constexpr std::int64_t kKi = 1024;

// Everything that a pass is made of.
struct World {
  PassPolicy policy;
  Profile profile = Profile::kKubelet;
  EvictionState before;
  Instant now;
  Summary summary;
  Summary after_reclaim;  // by the reclaim that took place
  std::vector<Pod> pods;
  std::vector<Protection> protection;
  std::vector<Nanos> least_memory;  // requests in addition
  std::vector<Nanos> least_disk;
  std::optional<PaceInput> pace;
};

// What a reclaim does that is not the one of the pass.
enum class OtherReclaim : std::uint8_t { kFreesNothing, kFreesAll };

class TestPorts final : public PodKiller, public NodeReclaimer, public SummarySource {
 public:
  TestPorts(const World& world, std::vector<ReclaimStep> steps, OtherReclaim other)
      : world_(world), steps_(std::move(steps)), other_(other) {}

  Result<EvictOutcome> Evict(const EvictionOrder&, Instant) override {
    return EvictOutcome::kEnding;
  }
  Result<ReclaimProgress> DeleteDeadContainers() override {
    taken_.push_back(ReclaimStep::kDeadContainers);
    return ReclaimProgress::kDone;
  }
  Result<ReclaimProgress> DeleteUnusedImages() override {
    taken_.push_back(ReclaimStep::kUnusedImages);
    return ReclaimProgress::kDone;
  }
  Result<Summary> ReadSummary() override {
    if (taken_ == steps_) return world_.after_reclaim;
    return other_ == OtherReclaim::kFreesAll ? Summary{} : world_.summary;
  }

 private:
  const World& world_;
  std::vector<ReclaimStep> steps_;
  OtherReclaim other_;
  std::vector<ReclaimStep> taken_;
};

// A pass of a world; `steps` are those of the reclaim that leads to World::after_reclaim.
RecordedPass PassOf(const World& world, const std::vector<ReclaimStep>& steps,
                    OtherReclaim other = OtherReclaim::kFreesNothing) {
  RecordedPass pass{.number = 1,
                    .policy = std::make_shared<const PassPolicy>(world.policy),
                    .before = world.before,
                    .summary = world.summary,
                    .pace = world.pace,
                    .after_reclaim = world.after_reclaim};
  std::vector<const PodFacts*> active;
  for (std::size_t i = 0; i < world.pods.size(); ++i) {
    PodFacts facts = FactsOf(world.pods[i], world.profile);
    if (facts.protection == Protection::kNone) facts.protection = world.protection[i];
    facts.memory_request = std::max(facts.memory_request, world.least_memory[i]);
    facts.ephemeral_storage_request =
        std::max(facts.ephemeral_storage_request, world.least_disk[i]);
    pass.pods.push_back(std::make_shared<const PodFacts>(std::move(facts)));
    active.push_back(pass.pods.back().get());
  }
  TestPorts all(world, steps, other);
  NodePorts ports{.killer = all, .reclaimer = all, .summaries = all};
  EvictionState state = world.before;
  pass.report =
      RunPass(world.policy,
              {.now = world.now, .summary = world.summary, .pods = active, .pace = world.pace},
              ports, state);
  return pass;
}

World SomeWorld(std::uint32_t seed) {
  std::mt19937 random(seed);
  const Scenario scenario = SomeScenario(seed);
  const ScenarioStep& step = scenario.steps[random() % scenario.steps.size()];
  World world{.policy = scenario.policy,
              .profile = scenario.profile,
              .now = scenario.start + std::chrono::hours(1),
              .summary = step.summary};
  std::vector<Threshold> settings = scenario.policy.thresholds;
  for (Threshold& threshold : settings) {
    if (threshold.signal == Signal::kMemoryAvailable && random() % 3 == 0) {
      threshold.grace_period = std::chrono::seconds(20);
    }
    if (random() % 4 == 0) threshold.min_reclaim = Percentage{0.05F};
  }
  if (random() % 2 == 0) {
    settings.push_back({.signal = Signal::kNodeFsInodesFree, .value = Percentage{0.2F}});
    world.summary.node.fs->inodes_free = random() % 3'000'000;
  }
  if (random() % 2 == 0) world.summary.node.memory->available_bytes = random() % (2ULL << 30);
  world.summary.node.pods_memory->available_bytes = random() % (300U << 20);
  if (random() % 2 == 0) settings = WithCopyForPods(settings);
  world.policy.thresholds = ThresholdsFor(settings, world.policy.layout);
  for (std::size_t i = 0; i < world.policy.thresholds.size(); ++i) {
    if (random() % 2 == 0) world.before.met[i] = true;
    if (random() % 2 == 0) {
      world.before.first_observed_at[i] = world.now - std::chrono::seconds(random() % 60);
    }
  }
  for (const std::size_t i : step.active) {
    world.pods.push_back(scenario.pods[i].pod);
    world.protection.push_back(random() % 20 == 0 ? Protection::kObserved : Protection::kNone);
    PodStats& stats = world.summary.pods[i];
    if (random() % 30 == 0) {
      for (ContainerStats& container : stats.containers) *container.logs->used_bytes += 64ULL << 30;
    }
    if (random() % 30 == 0) {
      for (VolumeStats& volume : stats.volumes) *volume.usage.used_bytes += 64ULL << 30;
    }
    if (random() % 30 == 0) *stats.ephemeral_storage->used_bytes += 256ULL << 30;
  }
  if (seed % 8 == 0) {  // so few that no priority spares a pod
    world.pods.resize(std::min<std::size_t>(world.pods.size(), 2));
    world.protection.resize(world.pods.size());
  }
  world.least_memory.resize(world.pods.size());
  world.least_disk.resize(world.pods.size());
  world.after_reclaim = world.summary;
  if (random() % 2 == 0) world.after_reclaim.node.fs->available_bytes = 60ULL << 30;
  if (random() % 2 == 0) world.after_reclaim.node.image_fs->inodes_free = 4'000'000;
  if (random() % 2 == 0) {
    world.pace = PaceInput{.ending = static_cast<std::int64_t>(random() % (50U << 20)),
                           .growth = static_cast<std::int64_t>(random() % (1U << 30))};
    if (random() % 2 == 0) world.pace->kubelet_decides = world.now + std::chrono::seconds(5);
    if (random() % 2 == 0) world.pace->next_by_clock = world.now + std::chrono::seconds(5);
    world.pace->growth_of_pods = *world.pace->growth;
    if (random() % 4 == 0) world.pace->signal = Signal::kPidAvailable;
  }
  return world;
}

void Move(std::int64_t bytes, std::optional<std::uint64_t>& from, std::optional<std::uint64_t>& to,
          bool bounded = true) {
  const auto had = static_cast<std::int64_t>(from.value_or(0));
  const std::int64_t moved = bounded ? std::min(had, bytes) : bytes;
  if (from) *from -= static_cast<std::uint64_t>(moved);
  if (to) *to += static_cast<std::uint64_t>(moved);
}

// The file systems that are the same one as that of a signal.
std::vector<std::optional<FsStats>*> FileSystems(Signal signal, DiskLayout layout,
                                                 NodeStats& node) {
  const bool of_node = signal == Signal::kNodeFsAvailable || signal == Signal::kNodeFsInodesFree;
  const bool of_images =
      signal == Signal::kImageFsAvailable || signal == Signal::kImageFsInodesFree;
  if (!layout.dedicated_image_fs) return {&node.fs, &node.image_fs, &node.container_fs};
  if (layout.dedicated_container_fs) {
    if (of_images) return {&node.image_fs};
    return {&node.fs, &node.container_fs};
  }
  if (of_node) return {&node.fs};
  return {&node.image_fs, &node.container_fs};
}

void MakeAvailable(Signal signal, DiskLayout layout, std::int64_t more, NodeStats& node) {
  if (const SignalRow& row = RowOf(signal); row.stall) {
    auto& stats = row.resource == Resource::kMemory ? node.memory_pressure : node.io_pressure;
    StallShares& shares = row.stall->kind == StallKind::kSome ? stats->some : stats->full;
    auto& share = row.stall->window == std::chrono::seconds(10) ? shares.avg10 : shares.avg60;
    *share -= static_cast<std::int32_t>(more);
    return;
  }
  switch (ResourceOf(signal)) {
    case Resource::kMemory:
      Move(more, node.memory->working_set_bytes, node.memory->available_bytes);
      Move(more, node.pods_memory->working_set_bytes, node.pods_memory->available_bytes);
      return;
    case Resource::kSwap: Move(more, node.swap->usage_bytes, node.swap->available_bytes); return;
    case Resource::kPids: *node.rlimit->running -= more; return;
    case Resource::kEphemeralStorage:
    case Resource::kInodes:
      for (std::optional<FsStats>* fs : FileSystems(signal, layout, node)) {
        FsStats& stats = **fs;
        const bool inodes = ResourceOf(signal) == Resource::kInodes;
        auto& available = inodes ? stats.inodes_free : stats.available_bytes;
        const auto capacity = inodes ? stats.inodes : stats.capacity_bytes;
        *available = std::min(*available + static_cast<std::uint64_t>(more), *capacity);
      }
      return;
    case Resource::kIo: return;
  }
}

// The world in which a line is so, with the amount given instead of the line's.
World Otherworld(const World& world, Signal signal, const Otherwise& line, std::int64_t amount) {
  World other = world;
  std::size_t pod = 0;
  for (std::size_t i = 0; i < world.pods.size(); ++i) {
    if (world.pods[i].namespace_ + "/" + world.pods[i].name == line.pod) pod = i;
  }
  const auto free = [&] {
    MakeAvailable(signal, other.policy.layout, amount, other.summary.node);
    MakeAvailable(signal, other.policy.layout, amount, other.after_reclaim.node);
  };
  switch (line.change) {
    case Change::kUsage:
      UseMore(signal, other.policy.layout, -amount,
              *std::ranges::find(other.summary.pods, other.pods[pod].uid, &PodStats::uid));
      free();
      break;
    case Change::kRequest: {
      const bool of_disk = ResourceOf(signal) == Resource::kEphemeralStorage;
      (of_disk ? other.least_disk : other.least_memory)[pod] = Nanos{amount} * kNanosPerUnit;
      break;
    }
    case Change::kPriority: other.pods[pod].priority = static_cast<std::int32_t>(amount); break;
    case Change::kAvailable: free(); break;
  }
  return other;
}

// The thresholds more urgent than that of the pace waited, so the pass acted for another.
bool WaitsFor(const RecordedPass& pass, Signal signal) {
  const auto& acting_for = pass.report.acting_for;
  const auto& thresholds = pass.policy->thresholds;
  if (!acting_for || !pass.pace || pass.pace->signal != acting_for->signal) return false;
  if (!acting_for->IsHard() || signal >= acting_for->signal) return false;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].signal == signal && pass.report.evaluation.acting[i]) return true;
  }
  return false;
}

struct Happened {
  PassOutcome outcome = PassOutcome::kNothing;
  std::string victim;  // the first one
  std::optional<Signal> signal;
  std::vector<std::string> evicted;
  friend bool operator==(const Happened&, const Happened&) = default;
};

Happened WhatHappens(const World& world, const RecordedPass& real, OtherReclaim other) {
  const RecordedPass pass = PassOf(world, real.report.reclaim_attempted, other);
  const CycleReport& report = pass.report;
  Happened happened;
  if (report.acting_for) happened.signal = report.acting_for->signal;
  if (report.acting_for && WaitsFor(real, *happened.signal)) {
    happened.outcome = PassOutcome::kPaused;
    return happened;
  }
  for (const EvictionRecord& each : report.evictions) {
    happened.evicted.push_back(NameOfPod(pass, each.order.pod_uid));
  }
  if (!happened.evicted.empty()) {
    happened.victim = happened.evicted.front();
    happened.outcome = report.acting_for ? PassOutcome::kEvicted : PassOutcome::kStorageLimits;
  } else if (report.acting_for) {
    happened.outcome = PassOutcome::kNobodyMayGo;
    if (report.pause) happened.outcome = PassOutcome::kPaused;
    if (report.relieved_by_reclaim) happened.outcome = PassOutcome::kRelieved;
  }
  return happened;
}

std::int64_t AmountOf(const Otherwise& line) {
  const bool of_node = line.change == Change::kUsage || line.change == Change::kAvailable;
  return of_node ? line.by : line.to;
}

// Larger changes of the same kind, of which a line says "or more".
std::vector<std::int64_t> AndMore(const Otherwise& line) {
  const std::int64_t at = AmountOf(line);
  if (line.change == Change::kRequest) return {at + 1, at + kKi, at * 2, at + (1LL << 50)};
  if (line.change != Change::kPriority) return {};
  return {std::min(at + 1, 1'999'999'999L), 1'999'999'999};
}

// A change that is one step smaller.
std::int64_t OneLess(const Otherwise& line, Signal signal) {
  const std::int64_t step = UnitNameOf(signal) == "bytes" ? kKi : 1;
  if (line.change == Change::kPriority) return line.to - 1;
  return line.change == Change::kRequest ? line.to - step : (line.by - 1) / step * step;
}

TEST(Otherwise, EveryLineIsTrueAsTheWholePassDecides) {
  std::map<Change, int> lines;
  int of_others = 0;
  int after_reclaim = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const World world = SomeWorld(seed);
    RecordedPass pass = PassOf(world, {});
    // Run once to know the reclaim, and once with what that leads to.
    pass = PassOf(world, pass.report.reclaim_attempted);
    const PassExplanation why = Explain(pass);
    for (const Otherwise& line : why.otherwise) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << "\n"
                                      << TextOf(why) << "\n"
                                      << NameOf(line.change) << " " << AmountOf(line));
      const Signal signal = pass.report.acting_for->signal;
      const auto now = [&](std::int64_t amount, OtherReclaim other) {
        return WhatHappens(Otherworld(world, signal, line, amount), pass, other);
      };
      const auto other = line.after_reclaim ? OtherReclaim::kFreesNothing : OtherReclaim::kFreesAll;
      const Happened happened = now(AmountOf(line), other);
      ASSERT_EQ(NameOf(happened.outcome), NameOf(line.outcome));
      ASSERT_EQ(happened.victim, line.victim);
      if (line.signal) {
        ASSERT_EQ(happened.signal, line.signal);
        ++of_others;
      }
      after_reclaim += line.after_reclaim ? 1 : 0;
      ++lines[line.change];
      const std::string spared = why.evicted.front().pod.FullName();
      ASSERT_EQ(std::ranges::count(happened.evicted, spared), 0);
      for (const std::int64_t more : AndMore(line)) {
        ASSERT_EQ(now(more, other), happened) << "or more: " << more;
      }
      const std::int64_t less = OneLess(line, signal);
      ASSERT_EQ(now(less, other).victim, spared) << "less than needed: " << less;
    }
  }
  EXPECT_EQ(lines.size(), 4U);
  for (const auto& [change, count] : lines) EXPECT_GT(count, 4) << NameOf(change);
  EXPECT_GT(of_others, 100);
  EXPECT_GT(after_reclaim, 50);
}

}  // namespace
}  // namespace jettison
