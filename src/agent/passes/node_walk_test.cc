// What a node does while the walk through pods' files takes long, or never ends.
#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NodeWalkTest : public NodeTestBed {
 protected:
  void SetUp() override { runtime_.IgnoreStop("c"); }  // pods end a second after they were told to
  // A walk measures the pod; this is what is known of it from then on.
  void MeasureOnce(const std::string& pod, std::uint64_t mi) {
    Pass(seconds(10));
    disk_[pod] = Use(mi, seconds(0));
    Measure();
    walks_.known[pod] = disk_[pod];
  }
  // A walk begins and never ends.
  void HangWalk() {
    Pass(seconds(10));
    ASSERT_GT(walks_.started, 0);
    Pass(seconds(3));
  }
  void FillDisk() { figures_.node.fs->available_bytes = 49 * kMi; }
  PodDiskUse Use(std::uint64_t mi, Duration ago) {
    PodDiskUse use;
    use.total = {.used_bytes = mi * kMi, .inodes_used = 1};
    use.containers.push_back({.name = "c", .rootfs = {}, .logs = use.total});
    use.measured_at = clock_.Now() - ago;
    return use;
  }
  [[nodiscard]] bool HasDiskPressure() const {
    return node_->state().conditions.Has(NodeConditionType::kDiskPressure);
  }
};

TEST_F(NodeWalkTest, TheNodesFiguresAreEvaluatedEveryIntervalWhateverTheWalkDoes) {
  Start();
  HangWalk();
  FillDisk();
  Pass(milliseconds(500));
  EXPECT_TRUE(HasDiskPressure());
  EXPECT_TRUE(walks_.is_urgent);
  EXPECT_THAT(reclaimer_.asked, ElementsAre("containers", "images"));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_THAT(lines_, Contains(HasSubstr("no pod is evicted before pods' disk use is measured")));
  figures_.node.fs->available_bytes = 1000 * kMi;
  for (int interval = 0; interval < 4; ++interval) Pass(seconds(10));
  EXPECT_FALSE(HasDiskPressure()) << "its transition period of 30 s is over";
}

TEST_F(NodeWalkTest, WhereTheWalkIsNotBackInTimeTheLastKnownFiguresDecide) {
  Start();
  MeasureOnce("hog", 30);
  HangWalk();
  walks_.known["idle"] = Use(1, seconds(1));
  FillDisk();
  Pass(seconds(7));
  Pass(kDiskUsePatience - milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  const int full_passes = full_passes_;
  Pass(milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
  EXPECT_EQ(full_passes_, full_passes + 1);
  const auto& report = *node_->MakeSnapshot().last_report;
  ASSERT_EQ(report.stale_disk.size(), 1U) << "idle was measured in this walk";
  EXPECT_EQ(report.stale_disk[0].pod_uid, "hog");
  EXPECT_EQ(report.stale_disk[0].measured_at, clock_.Now() - seconds(20) - kDiskUsePatience);
  EXPECT_THAT(lines_, Contains(testing::AllOf(HasSubstr("the last known figures are used"),
                                              HasSubstr("default/hog 23s"))));
}

TEST_F(NodeWalkTest, APodThatWasNeverMeasuredDoesNotGoForADisk) {
  Start();
  HangWalk();
  FillDisk();
  Pass(seconds(7));
  Pass(kDiskUsePatience);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  walks_.known["idle"] = Use(1, seconds(1));
  Pass(seconds(10));
  Pass(kDiskUsePatience);
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s")) << "the other pod is unknown";
  EXPECT_THAT(lines_, Contains(HasSubstr("default/hog unknown")));
}

TEST_F(NodeWalkTest, ThatNobodyCanGoIsSaidThoughThePassBeforeHasWaitedForTheWalk) {
  Pod critical = PodNamed("hog");
  critical.priority = 2'000'000'000;
  wanted_ = {critical};
  Start();
  FillDisk();
  Pass(seconds(10));
  ASSERT_THAT(lines_, Contains(HasSubstr("no pod is evicted before pods' disk use is measured")));
  disk_["hog"] = Use(30, seconds(0));
  Pass(milliseconds(10));
  Measure();
  EXPECT_THAT(lines_, Contains(HasSubstr("unable to evict any pods")));
}

// The pod that fills the disk: it came after the walk began, or was measured before it did that.
class NodeUnseenTest : public NodeWalkTest, public testing::WithParamInterface<const char*> {};

TEST_P(NodeUnseenTest, WhatTheWalkCannotHaveSeenIsMeasuredByAnotherBeforeSomebodyGoesForADisk) {
  const std::string guilty = GetParam();
  Start();
  Pass(seconds(10));
  const int started = walks_.started;
  std::vector<Pod> pods = {PodNamed("hog"), PodNamed("idle")};
  if (guilty == "late") pods.push_back(PodNamed(guilty));
  pods_.SetWanted(WantedPods(pods), clock_.Now());
  Deliver();
  FillDisk();
  runtime_.TakeCommands();
  disk_["hog"] = Use(1, seconds(0));
  disk_["idle"] = Use(2, seconds(0));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_EQ(walks_.started, started + 1);
  EXPECT_TRUE(walks_.is_urgent);
  disk_[guilty] = Use(900, seconds(0));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop " + guilty + "/c 1s"));
  EXPECT_EQ(walks_.started, started + 1);
}

INSTANTIATE_TEST_SUITE_P(Unseen, NodeUnseenTest, testing::Values("late", "hog"));

TEST_F(NodeWalkTest, OneThatCannotBeMeasuredIsWaitedForNoLongerThanAnyWalk) {
  Start();
  Pass(seconds(10));
  pods_.SetWanted(WantedPods({PodNamed("hog"), PodNamed("idle"), PodNamed("late")}), clock_.Now());
  Deliver();
  FillDisk();
  runtime_.TakeCommands();
  clock_.Advance(milliseconds(1));
  disk_["hog"] = Use(1, seconds(0));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  walks_.known = disk_;
  Pass(kDiskUsePatience - milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
}

TEST_F(NodeWalkTest, OneThatCannotBeReadForAMomentIsReadAgainBeforeSomebodyGoesForADisk) {
  Start();
  FillDisk();
  Pass(seconds(10));
  const int started = walks_.started;
  walks_.unread_until = clock_.Now() + seconds(10);
  disk_["idle"] = Use(1, seconds(0));
  for (int walk = 0; walk < 40; ++walk) {
    Pass(milliseconds(1));
    Measure();
    Pass(milliseconds(200));
  }
  Pass(milliseconds(1));
  EXPECT_EQ(walks_.started, started + 40) << "the walk is not repeated without end";
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_TRUE(walks_.is_urgent);
  disk_["hog"] = Use(30, seconds(0));
  walks_.unread_until.reset();
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
}

TEST_F(NodeWalkTest, ADiskThatGoesOnToFailIsActedForByWhatCouldBeRead) {
  Start();
  FillDisk();
  Pass(seconds(10));
  walks_.unread_until = clock_.Now() + seconds(10);
  walks_.known["idle"] = disk_["idle"] = Use(1, seconds(0));
  Pass(milliseconds(1));
  Measure();
  Pass(milliseconds(200));  // and this walk never ends
  Pass(seconds(9));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(milliseconds(800));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
}

TEST_F(NodeWalkTest, NobodyGoesForALimitByFiguresThatAPassHasSeenBefore) {
  Start();
  Pod limited = PodNamed("hog");
  limited.volumes = {{"v", EmptyDirSource{.medium = "", .size_limit = Quantity::Of(kMi)}}};
  limited.uid = "limited";
  pods_.SetWanted(WantedPods({limited, PodNamed("idle")}), clock_.Now());
  Deliver();
  MeasureOnce("limited", 0);
  runtime_.TakeCommands();
  disk_["limited"].volumes = {{.name = "v", .usage = {.used_bytes = 2 * kMi, .inodes_used = 1}}};
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "it may have been emptied";
  disk_["limited"].measured_at = clock_.Now();
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop limited/c 1s"));
}

// Nothing is short, and a walk serves three passes.
class NodeRestingWalkTest : public NodeWalkTest {
 protected:
  NodeRestingWalkTest() { walk_serves_ = seconds(30); }
  // A walk measures both pods.
  void StartMeasured() {
    Start();
    MeasureOnce("hog", 30);
    walks_.known["idle"] = Use(1, seconds(0));
    Pass(seconds(10));
    ASSERT_EQ(walks_.started, 1);
  }
};

TEST_F(NodeRestingWalkTest, AWalkServesThreePassesWhichUseItsFiguresAsMeasured) {
  StartMeasured();
  Pass(seconds(10));
  const Snapshot snapshot = node_->MakeSnapshot();
  EXPECT_EQ(walks_.started, 1);
  EXPECT_EQ(snapshot.pods_measured_at, clock_.Now()) << "there was a full pass";
  ASSERT_EQ(snapshot.summary->pods.size(), 2U);
  for (const PodStats& pod : snapshot.summary->pods) {
    EXPECT_TRUE(pod.ephemeral_storage);
    EXPECT_FALSE(pod.stale_disk);
  }
  Pass(seconds(10));
  EXPECT_EQ(walks_.started, 2);
  Measure();
  pods_.SetWanted(WantedPods({PodNamed("hog"), PodNamed("idle"), PodNamed("late")}), clock_.Now());
  Deliver();
  Pass(seconds(10));
  EXPECT_EQ(walks_.started, 3) << "a pod that has come is measured in the next pass";
}

TEST_F(NodeRestingWalkTest, WhereAPodHasALimitEachPassMeasures) {
  Start();
  Pod limited = PodNamed("limited");
  limited.volumes = {{"v", EmptyDirSource{.medium = "", .size_limit = Quantity::Of(kMi)}}};
  pods_.SetWanted(WantedPods({limited, PodNamed("idle")}), clock_.Now());
  Deliver();
  for (int pass = 0; pass < 3; ++pass) FullPass();
  EXPECT_EQ(walks_.started, 3);
}

TEST_F(NodeRestingWalkTest, ADiskThatIsShortIsActedForByAWalkOfItsOwn) {
  StartMeasured();
  FillDisk();
  Pass(seconds(10));
  EXPECT_EQ(walks_.started, 2);
  EXPECT_TRUE(walks_.is_urgent);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "the figures are twenty seconds old";
  Pass(milliseconds(200));
  disk_["hog"] = Use(1, seconds(0));
  disk_["idle"] = Use(30, seconds(0));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
  figures_.node.fs->available_bytes = 1000 * kMi;
  Pass(seconds(10));
  EXPECT_EQ(walks_.started, 3) << "as long as the condition holds";
}

TEST_F(NodeWalkTest, ASoftThresholdActsWhenItsGracePeriodEndsWhateverTheWalkDoes) {
  Start();
  figures_.SetAvailable(199);
  FullPass();
  Pass(seconds(10));  // and this walk never ends
  runtime_.TakeCommands();
  for (int second = 0; second < 49; ++second) Pass(seconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(seconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), testing::SizeIs(1));
}

TEST_F(NodeWalkTest, ConditionsFollowThoughAnEvictionWaits) {
  Start();
  HangWalk();
  figures_.memory = {{"hog", 2 * kMi}, {"idle", kMi}};
  figures_.SetAvailable(50);
  clock_.Advance(milliseconds(1));
  Crossed();
  ASSERT_TRUE(node_->MakeSnapshot().last_report->pause);
  FillDisk();
  Pass(milliseconds(20));
  EXPECT_TRUE(HasDiskPressure());
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

TEST_F(NodeWalkTest, AnEvictionForADiskKeepsItsPaceDuringAWalkAndIsNotForgotten) {
  Start();
  runtime_.IgnoreKill("c");
  HangWalk();
  walks_.known["hog"] = Use(30, seconds(5));
  walks_.known["idle"] = Use(1, seconds(5));
  FillDisk();
  Pass(seconds(7));
  Pass(kDiskUsePatience);
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
  Pass(seconds(10));  // looked at while hog is still ending
  Pass(milliseconds(2500));
  runtime_.Exit("hog", "c", 137);
  Deliver();
  ASSERT_THAT(lines_, Contains(HasSubstr("pods were cleaned up")));
  Pass(milliseconds(500));
  ASSERT_TRUE(node_->MakeSnapshot().last_report->pause) << "the kubelet would still wait";
  runtime_.TakeCommands();
  Pass(milliseconds(500));
  Pass(kDiskUsePatience - milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
}

// Something outside the pods fills the disk: both pods together hold 3 MiB of the 50 that are
// short.
class NodeForeignDiskTest : public NodeWalkTest {
 protected:
  void FillFromOutside() {
    disk_["hog"] = Use(2, seconds(0));
    disk_["idle"] = Use(1, seconds(0));
    figures_.node.fs->available_bytes = 0;
    figures_.node.fs->used_bytes = 2000 * kMi;
  }
  // Both pods are measured a second after the last scheduled pass.
  void StartMeasured() {
    Start();
    Pass(seconds(10));
    disk_["hog"] = Use(2, seconds(0));
    disk_["idle"] = Use(1, seconds(0));
    Measure();
    Pass(seconds(1));
  }
  // How long it takes until a pod is told to end, in steps of 100 ms, each with a wake-up and a
  // walk that is back at once.
  std::optional<Duration> TimeToNextStop() {
    for (Duration passed{0}; passed <= seconds(20); passed += milliseconds(100)) {
      Pass(milliseconds(98));
      Crossed();
      Pass(milliseconds(1));
      clock_.Advance(milliseconds(1));
      for (auto& [uid, use] : disk_) use.measured_at = clock_.Now();
      Measure();
      Deliver();
      const auto commands = runtime_.TakeCommands();
      const auto stops = std::ranges::count_if(
          commands, [](const std::string& command) { return command.starts_with("stop "); });
      EXPECT_LE(stops, 1);
      if (stops > 0) return passed;
    }
    return std::nullopt;
  }
};

TEST_F(NodeForeignDiskTest, APodThatHoldsNextToNothingOfADiskGoesInTheNextScheduledPass) {
  StartMeasured();
  FillFromOutside();
  EXPECT_EQ(TimeToNextStop(), seconds(9));
  EXPECT_THAT(lines_, Contains(testing::AllOf(HasSubstr("the next eviction waits"),
                                              HasSubstr("reason=not-theirs"))));
  EXPECT_THAT(lines_, Contains(testing::AllOf(
                          HasSubstr("most of the disk is not held by pods that may be evicted"),
                          HasSubstr("held=\"files that are no pod's own 1997Mi, logs 3Mi\""))));
  const std::vector<Holders> holders = node_->MakeSnapshot().holders;
  ASSERT_EQ(holders.size(), 2U) << "the memory, too";
  EXPECT_EQ(holders[1].signal, Signal::kNodeFsAvailable);
}

TEST_F(NodeForeignDiskTest, APodThatHoldsWhatIsShortGoesAtOnce) {
  StartMeasured();
  FillFromOutside();
  disk_["hog"] = Use(900, seconds(0));
  EXPECT_EQ(TimeToNextStop(), seconds(0));
}

TEST_F(NodeForeignDiskTest, APassThatFollowsAReclaimIsNoSoonerThanTheOneThatAskedForIt) {
  StartMeasured();
  reclaimer_.lasting = true;
  FillFromOutside();
  clock_.Advance(milliseconds(1));
  Crossed();
  ASSERT_TRUE(reclaimer_.under_way);
  reclaimer_.End();
  reclaimer_.lasting = false;
  EXPECT_GE(TimeToNextStop(), milliseconds(8900));
}

}  // namespace
}  // namespace jettison
