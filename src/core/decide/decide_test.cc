#include "core/decide/decide.h"

#include <gtest/gtest.h>

#include <string>

#include "core/model/pressure.h"

namespace jettison {
namespace {

using std::chrono::seconds;

std::string StepsFor(Signal signal, DiskLayout layout) {
  std::string steps;
  for (ReclaimStep step : ReclaimStepsFor(signal, layout)) steps += std::string(NameOf(step)) + " ";
  return steps;
}

TEST(ReclaimSteps, FollowLayoutAndSignal) {
  struct Row {
    DiskLayout layout;
    std::string nodefs, imagefs, containerfs;
  };
  const std::string both = "containers images ";
  const Row rows[] = {
      {{}, both, both, both},
      {{.dedicated_image_fs = true}, "", both, both},
      {{.dedicated_image_fs = true, .dedicated_container_fs = true},
       "containers ",
       "images ",
       "containers "},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(StepsFor(Signal::kNodeFsAvailable, row.layout), row.nodefs);
    EXPECT_EQ(StepsFor(Signal::kNodeFsInodesFree, row.layout), row.nodefs);
    EXPECT_EQ(StepsFor(Signal::kImageFsAvailable, row.layout), row.imagefs);
    EXPECT_EQ(StepsFor(Signal::kImageFsInodesFree, row.layout), row.imagefs);
    EXPECT_EQ(StepsFor(Signal::kContainerFsAvailable, row.layout), row.containerfs);
    EXPECT_EQ(StepsFor(Signal::kContainerFsInodesFree, row.layout), row.containerfs);
    EXPECT_EQ(StepsFor(Signal::kMemoryAvailable, row.layout), "");
    EXPECT_EQ(StepsFor(Signal::kPidAvailable, row.layout), "");
    for (Signal signal : kPressureSignals) EXPECT_EQ(StepsFor(signal, row.layout), "");
  }
}

TEST(MostUrgent, PutsMemoryFirstAndHardBeforeSoft) {
  const std::vector<Threshold> thresholds = {
      {.signal = Signal::kPidAvailable},
      {.signal = Signal::kNodeFsAvailable, .grace_period = seconds(1)},
      {.signal = Signal::kNodeFsAvailable},
      {.signal = Signal::kAllocatableMemoryAvailable},
      {.signal = Signal::kMemoryAvailable, .grace_period = seconds(1)}};
  ThresholdSet among;
  EXPECT_EQ(MostUrgent(thresholds, among), std::nullopt);
  among.set(0).set(1);
  EXPECT_EQ(MostUrgent(thresholds, among), 1U);
  among.set(2);
  EXPECT_EQ(MostUrgent(thresholds, among), 2U);
  among.set(3);
  EXPECT_EQ(MostUrgent(thresholds, among), 3U);
  among.set(4);
  EXPECT_EQ(MostUrgent(thresholds, among), 4U);
}

TEST(MostUrgent, PutsStallsOnMemoryBehindItsShortageAndStallsOnIoLast) {
  const std::vector<Threshold> thresholds = {{.signal = Signal::kIoPressureFullAvg10},
                                             {.signal = Signal::kPidAvailable},
                                             {.signal = Signal::kMemoryPressureSomeAvg60},
                                             {.signal = Signal::kMemoryPressureFullAvg10},
                                             {.signal = Signal::kAllocatableMemoryAvailable}};
  ThresholdSet among;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    among.set(i);
    EXPECT_EQ(MostUrgent(thresholds, among), i);
  }
}

struct Fixture {
  Fixture() {
    Pod pod;
    pod.uid = "u";
    pod.volumes = {{"v", EmptyDirSource{.medium = "", .size_limit = Quantity::Of(10)}}};
    facts = FactsOf(std::move(pod), Profile::kStandalone);
    stats.volumes = {{"v", {11, 1}}};
    pods = {{&facts, &stats}};
    evaluation.acting.set(0);
  }
  std::vector<Threshold> thresholds = {{.signal = Signal::kNodeFsAvailable}};
  PodFacts facts;
  PodStats stats;
  std::vector<ActivePod> pods;
  Evaluation evaluation;
};

TEST(Decide, StorageViolationsEndThePass) {
  Fixture f;
  const Decision decision = Decide(f.thresholds, true, {}, f.evaluation, f.pods);
  EXPECT_EQ(decision.violations.size(), 1U);
  EXPECT_FALSE(decision.threshold);
  EXPECT_FALSE(decision.victim);
}

TEST(Decide, WithoutIsolationLimitsAreNotLookedAt) {
  Fixture f;
  const Decision decision = Decide(f.thresholds, false, {}, f.evaluation, f.pods);
  EXPECT_TRUE(decision.violations.empty());
  EXPECT_EQ(decision.threshold, 0U);
  EXPECT_EQ(decision.reclaim.size(), 2U);
  EXPECT_EQ(decision.victim, 0U);
}

TEST(Decide, NobodyGoesWhenNothingIsStarved) {
  Fixture f;
  f.evaluation.acting.reset();
  const Decision decision = Decide(f.thresholds, false, {}, f.evaluation, f.pods);
  EXPECT_FALSE(decision.threshold);
  EXPECT_FALSE(decision.victim);
}

}  // namespace
}  // namespace jettison
