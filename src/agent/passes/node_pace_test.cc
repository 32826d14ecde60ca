#include <algorithm>

#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr Duration kStep = milliseconds(5);

class NodePaceTest : public NodeTestBed {
 protected:
  // Fifty pods of `each` MiB beside `pods`; the pods of the bed are removed.
  void StartMany(std::uint64_t each, std::vector<Pod> pods = {}) {
    Start();
    for (int i = 0; i < 50; ++i) {
      pods.push_back(PodNamed("p" + std::to_string(i)));
      figures_.memory[pods.back().name] = each * kMi;
    }
    pods_.SetWanted(WantedPods(std::move(pods)), clock_.Now());
    Deliver();
    Deliver();
    FullPass();
    runtime_.TakeCommands();
    lines_.clear();
  }
  // Steps of 5 ms, each with a wake-up by the kernel, and with a full pass if one is requested.
  void Run(Duration time) {
    for (Duration passed{0}; passed < time; passed += kStep) {
      Pass(kStep);
      Crossed();
      Measure();
      Deliver();
    }
  }
  // A hog of 250 MiB is told to end, and does not, beside a pod of 200 MiB.
  void EvictAHogThatStays() {
    figures_.memory = {{"hog", 250 * kMi}, {"idle", 200 * kMi}};
    Start();
    runtime_.IgnoreStop("c");
    runtime_.HoldRemoval();
    figures_.SetAvailable(99);
    Pass(seconds(3));
    Crossed();
    EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  }
  std::size_t Stops() {
    const auto commands = runtime_.TakeCommands();
    return static_cast<std::size_t>(std::ranges::count_if(
        commands, [](const std::string& command) { return command.starts_with("stop "); }));
  }
};

TEST_F(NodePaceTest, ASpikeOfASecondOutsideFiftyPodsCostsAtMostTwoOfThem) {
  for (const std::uint64_t each : {1U, 5U, 7U}) {
    for (const std::uint64_t step : {120U, 4U}) {  // all at once, or little by little
      StartMany(each);
      for (std::uint64_t available = 120; available > 0; available -= step) {
        figures_.SetAvailable(available - step);
        Run(kStep);
      }
      Run(seconds(1));
      figures_.SetAvailable(400);
      Run(seconds(2));
      EXPECT_LE(Stops(), 2U) << each << " " << step;
    }
  }
}

TEST_F(NodePaceTest, WhoeverHoldsTheMemoryForGoodCostsOnePodASecondAsWithTheKubelet) {
  StartMany(5);
  figures_.SetAvailable(50);
  Run(seconds(4));
  const std::size_t stops = Stops();
  EXPECT_GE(stops, 3U);
  EXPECT_LE(stops, 5U);
}

// The pod was evicted for another resource, and its memory will soon be free.
TEST_F(NodePaceTest, NobodyIsEvictedForMemoryThatAPodThatIsEndingHolds) {
  WatchProcessIds(800, 1);
  figures_.memory = {{"hog", 250 * kMi}, {"idle", 200 * kMi}};
  Start();
  runtime_.IgnoreStop("c");
  runtime_.HoldRemoval();
  figures_.node.rlimit->running = 950;
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  figures_.SetAvailable(99);
  for (int i = 0; i < 4; ++i) {
    Pass(kStep);
    Crossed();
  }
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

class NodePaceBesideTest : public NodePaceTest {
 protected:
  // The hog is ending, and the next eviction for memory waits.
  void WaitForMemory() {
    WatchProcessIds(5, 20);
    EvictAHogThatStays();
    for (int i = 0; i < 10; ++i) Pass(kStep);
    ASSERT_TRUE(node_->MakeSnapshot().pause);
    EXPECT_THAT(runtime_.TakeCommands(), Not(Contains("stop idle/c 1s")));
  }
};

TEST_F(NodePaceBesideTest, AForkBombIsEndedWhileTheNextEvictionForMemoryWaits) {
  WaitForMemory();
  std::vector<std::string> commands;
  for (std::uint64_t i = 1; i <= 10 && commands.empty(); ++i) {
    figures_.tasks["idle"] = 800 + 6 * i;
    figures_.node.rlimit->running = 900 + 6 * i;
    Pass(kStep);
    commands = runtime_.TakeCommands();
  }
  EXPECT_THAT(commands, Contains("stop idle/c 1s"));
  ExpectEvictedFor(Signal::kPidAvailable);
}

TEST_F(NodePaceBesideTest, NobodyIsEvictedForProcessIdsThatAPodThatIsEndingHolds) {
  WaitForMemory();
  figures_.tasks["hog"] = 850;
  figures_.node.rlimit->running = 950;
  for (int i = 0; i < 4; ++i) Pass(std::chrono::milliseconds(20));
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains("stop idle/c 1s")));
  ASSERT_TRUE(node_->MakeSnapshot().pause);
  EXPECT_EQ(node_->MakeSnapshot().pace->signal, Signal::kMemoryAvailable);
}

// A search for process ids must not disturb what is known of memory.
TEST_F(NodePaceBesideTest, ALeakIsEndedAtOnceAlthoughProcessIdsThatNoPodHoldsAreShortToo) {
  WaitForMemory();
  figures_.node.rlimit->running = 950;
  std::vector<std::string> commands;
  for (int i = 1; i <= 8 && commands.empty(); ++i) {
    figures_.SetAvailable(static_cast<std::uint64_t>(99 - 6 * i));
    figures_.memory["idle"] = static_cast<std::uint64_t>(200 + 6 * i) * kMi;
    Pass(kStep);
    commands = runtime_.TakeCommands();
  }
  EXPECT_THAT(commands, Contains("stop idle/c 1s"));
  ExpectEvictedFor(Signal::kMemoryAvailable);
}

TEST_F(NodePaceTest, GrowthOfOthersEndsNobodyAtOnce) {
  figures_.memory = {{"hog", 100 * kMi}, {"idle", 90 * kMi}};
  Start();
  MemoryFallsTo(99);
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
  Deliver();
  for (std::uint64_t available = 98; available > 2; available -= 2) {
    figures_.SetAvailable(available);
    Pass(kStep);
    Measure();
  }
  EXPECT_EQ(Stops(), 0U);
  EXPECT_THAT(lines_, Contains(AllOf(HasSubstr("the next eviction waits"), HasSubstr("not-theirs"),
                                     HasSubstr("pod=default/idle"))));
}

TEST_F(NodePaceTest, AWaitIsToldOnceWithItsReasonAndEndsWhenThePodHasBeenGoneForASecond) {
  Start();
  figures_.SetAvailable(99);
  const int walks = walks_.started;
  Pass(seconds(3));
  Crossed();
  Deliver();
  EXPECT_EQ(walks_.started, walks + 1) << "the clean-up asks for a full pass";
  lines_.clear();
  Run(milliseconds(900));
  EXPECT_EQ(std::ranges::count_if(lines_,
                                  [](const std::string& line) {
                                    return line.find("the next eviction waits") !=
                                           std::string::npos;
                                  }),
            1)
      << testing::PrintToString(lines_);
  const Snapshot snapshot = node_->MakeSnapshot();
  ASSERT_TRUE(snapshot.pause);
  EXPECT_EQ(snapshot.pause->reason, PaceReason::kNodeLasts);
  EXPECT_EQ(snapshot.pause->pod_uid, "idle");
  EXPECT_EQ(snapshot.pace->kubelet_decides, snapshot.pause->until);
  EXPECT_EQ(node_->counters().waits[static_cast<std::size_t>(PaceReason::kNodeLasts)], 1U);
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains("stop idle/c 1s")));
  Run(milliseconds(200));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
}

TEST_F(NodePaceTest, WhoeverIgnoresTheSignalIsKilledBeforeTheRestIsGone) {
  Start();
  runtime_.IgnoreStop("c");
  MemoryFallsTo(99);
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  double available = 99;
  std::vector<std::string> commands;
  while (commands.empty() && available > 3) {
    available -= 2.4;  // 480 MiB/s
    figures_.SetAvailable(static_cast<std::uint64_t>(available));
    figures_.memory["hog"] += 2 * kMi;
    Pass(kStep);
    commands = runtime_.TakeCommands();
  }
  EXPECT_THAT(commands, ElementsAre("kill hog/c", "remove hog"));
  EXPECT_GT(available, 40);
  EXPECT_THAT(lines_, Contains(HasSubstr("pod is killed before its grace period is over")));
  EXPECT_EQ(node_->counters().early_kills, 1U);
  figures_.SetAvailable(400);
  Pass(seconds(10));
  const auto report = node_->MakeSnapshot().last_report;
  ASSERT_EQ(report->early_kills.size(), 1U);
  EXPECT_EQ(report->early_kills[0].pod_uid, "hog");
  EXPECT_EQ(report->early_kills[0].grace, seconds(1));
  EXPECT_LT(report->early_kills[0].after, milliseconds(150));
}

TEST_F(NodePaceTest, WhoeverTakesNothingMoreHasItsWholeGracePeriod) {
  Start();
  runtime_.IgnoreStop("c");
  MemoryFallsTo(99);
  runtime_.TakeCommands();
  Run(milliseconds(990));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Run(milliseconds(10));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("kill hog/c"));
}

TEST_F(NodePaceTest, AForkBombOutsideThePodsCostsOneOfThemASecond) {
  thresholds_.push_back(
      {.signal = Signal::kPidAvailable, .value = Quantity::Of(1000), .grace_period = {}});
  figures_.node.rlimit = RlimitStats{.max_pid = 30000, .running = 1000};
  StartMany(1);
  figures_.node.rlimit->running = 29900;
  Run(seconds(4));
  EXPECT_LE(Stops(), 5U);
}

// If images have a file system of their own, nothing is reclaimed for the file system of the node.
TEST_F(NodePaceTest, ADiskWaitsForWhatAPodGivesBackThatWasTakenAway) {
  figures_.node.image_fs = figures_.node.fs;
  Start(false, DiskLayout{.dedicated_image_fs = true});
  disk_["hog"].total = {.used_bytes = 900 * kMi, .inodes_used = 3};
  disk_["idle"].total = {.used_bytes = 1 * kMi, .inodes_used = 3};
  FullPass();
  Pass(seconds(9));
  pods_.SetWanted(WantedPods({PodNamed("idle")}), clock_.Now());
  for (const RuntimeEvent& event : runtime_.TakeEvents()) pods_.Handle(event, clock_.Now());
  ASSERT_TRUE(pods_.AnyIsBeingRemoved(clock_.Now()));
  figures_.node.fs->available_bytes = 1 * kMi;
  clock_.Advance(seconds(1));
  node_->Advance();
  clock_.Advance(milliseconds(3));
  Measure();
  const auto report = node_->MakeSnapshot().last_report;
  ASSERT_TRUE(report->pause);
  EXPECT_EQ(report->pause->reason, PaceReason::kNoForecast);
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains("stop idle/c 1s")));
  Deliver();
  Pass(seconds(10));
  clock_.Advance(milliseconds(3));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s")) << "the disk stays short";
}

// The end of a pod that was evicted for memory frees swap, too.
TEST_F(NodePaceTest, SwapWaitsForAPodThatIsEndingForMemory) {
  thresholds_.push_back(Of(Signal::kSwapAvailable, 100));
  figures_.node.swap = SwapStats{.available_bytes = 300 * kMi, .usage_bytes = 700 * kMi};
  figures_.swap = {{"hog", 100 * kMi}, {"idle", 500 * kMi}};
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(99);
  Pass(milliseconds(500));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
  figures_.node.swap->available_bytes = 2 * kMi;
  Run(seconds(5));
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains("stop idle/c 1s")));
}

// A disk and process IDs run short together, and the walk through pods' files is not over.
TEST_F(NodePaceTest, AForkBombIsEndedAlthoughTheDisksWalkIsNotOver) {
  WatchProcessIds(1, 1);
  Start();
  figures_.node.fs->available_bytes = 49 * kMi;
  figures_.tasks = {{"hog", 3}, {"idle", 840}};
  figures_.node.rlimit->running = 950;
  Pass(seconds(3));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
  ExpectEvictedFor(Signal::kPidAvailable);
  const std::vector<PodStats>& pods = evictions_.back()->summary.pods;
  EXPECT_EQ(pods[0].process_count, 3U);
  for (const PodStats& pod : pods) {
    EXPECT_TRUE(pod.stale_disk && !pod.stale_disk->measured_at) << pod.uid;
  }
}

TEST_F(NodePaceTest, WhereNoPodHoldsWhatIsMissingBesideAShortDiskTheEvictionWaits) {
  WatchProcessIds(3, 2);
  Start();
  figures_.node.fs->available_bytes = 49 * kMi;
  figures_.node.rlimit->running = 950;
  Pass(seconds(3));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  ASSERT_TRUE(node_->MakeSnapshot().last_report->pause);
  EXPECT_EQ(node_->MakeSnapshot().last_report->pause->reason, PaceReason::kNotTheirs);
}

TEST_F(NodePaceTest, NobodyComesBackToANodeThatIsStillShort) {
  Start();
  MemoryFallsTo(50);
  Deliver();
  runtime_.TakeCommands();
  for (int i = 0; i < 12; ++i) FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains("create hog")));
  figures_.SetAvailable(400);
  for (int i = 0; i < 12; ++i) FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("create hog"));
}

TEST_F(NodePaceTest, ADryRunKeepsToThePaceItWouldHaveHad) {
  Start(true);
  MemoryFallsTo(99);
  for (int i = 0; i < 100; ++i) {
    Pass(kStep);
    Crossed();
    Measure();
  }
  EXPECT_EQ(node_->counters().dry_run_victims[IndexOf(Signal::kMemoryAvailable)], 1U);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_FALSE(node_->MakeSnapshot().waiting_for_cleanup);
}

TEST_F(NodePaceTest, ASecondPodGoesWhenTheFirstIsNotGoneAfterThirtySeconds) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  MemoryFallsTo(99);
  for (int i = 0; i < 29; ++i) {
    Pass(seconds(1));
    Measure();
    clock_.Advance(milliseconds(1));
    Crossed();
  }
  const std::vector<std::string> commands = runtime_.TakeCommands();
  EXPECT_THAT(commands, testing::Each(testing::AnyOf("stop hog/c 1s", "kill hog/c")));
  EXPECT_GT(commands.size(), 4U) << "it is killed again and again";
  Pass(seconds(1));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop idle/c 1s"));
  const auto report = node_->MakeSnapshot().last_report;
  ASSERT_EQ(report->survivors.size(), 1U);
  EXPECT_EQ(report->survivors[0].pod_uid, "hog");
  EXPECT_GT(report->survivors[0].kills, 4);
  EXPECT_THAT(lines_,
              testing::Contains(testing::HasSubstr("is still alive although it was killed")));
}

TEST_F(NodePaceTest, WhatPassesOnlyRepeatIsLoggedOnceAndCounted) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(99);
  for (int i = 0; i < 80; ++i) {  // both pods are evicted, and live on
    Pass(seconds(1));
    Measure();
    Crossed();
  }
  const std::uint64_t events = events_.count();
  lines_.clear();
  const auto cross = [&](int times) {
    for (int i = 0; i < times; ++i) {
      clock_.Advance(milliseconds(10));
      Crossed();
    }
  };
  cross(500);
  EXPECT_LE(lines_.size(), 12U) << testing::PrintToString(lines_);
  EXPECT_LE(events_.count() - events, 2U);
  cross(1000);
  EXPECT_LE(lines_.size(), 36U) << testing::PrintToString(lines_);
}

TEST_F(NodePaceTest, AHardThresholdShortensASoftEvictionThatIsUnderWay) {
  Start();
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(150);
  FullPass();
  Pass(seconds(60));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 20s"));
  Pass(seconds(2));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "the agent waits for the soft eviction";
  figures_.SetAvailable(99);
  Pass(seconds(2));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s")) << "without notification";
}

}  // namespace
}  // namespace jettison
