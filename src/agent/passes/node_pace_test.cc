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
    StartMany(each);
    figures_.SetAvailable(0);
    Run(seconds(1));
    figures_.SetAvailable(400);
    Run(seconds(1));
    EXPECT_LE(Stops(), 2U) << each;
  }
}

TEST_F(NodePaceTest, ASpikeThatComesBySmallStepsCostsNoMore) {
  StartMany(5);
  for (std::uint64_t available = 120; available > 0; available -= 4) {
    figures_.SetAvailable(available);
    Pass(kStep);
    Crossed();
  }
  Run(milliseconds(800));
  figures_.SetAvailable(400);
  Run(seconds(2));
  EXPECT_LE(Stops(), 2U);
}

TEST_F(NodePaceTest, WhoeverHoldsTheMemoryForGoodCostsOnePodASecondAsWithTheKubelet) {
  StartMany(5);
  figures_.SetAvailable(50);
  Run(seconds(4));
  const std::size_t stops = Stops();
  EXPECT_GE(stops, 3U);
  EXPECT_LE(stops, 5U);
}

TEST_F(NodePaceTest, ASecondLeakIsEndedAtOnceBesideTheFirst) {
  EvictAHogThatStays();
  figures_.memory["hog"] = 0;  // its memory is free again, and the other pod took it
  std::vector<std::string> commands;
  for (int i = 1; i <= 8 && commands.empty(); ++i) {
    figures_.SetAvailable(static_cast<std::uint64_t>(99 - 2 * i));
    figures_.memory["idle"] = static_cast<std::uint64_t>(450 + 2 * i) * kMi;
    Pass(kStep);
    commands = runtime_.TakeCommands();
  }
  EXPECT_THAT(commands, Contains("stop idle/c 1s")) << "within 40 ms";
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
  figures_.memory["hog"] = 0;  // the pod came back, and is gone again
  Pass(kStep);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
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
  figures_.tasks["idle"] = 850;
  figures_.node.rlimit->running = 950;
  for (int i = 0; i < 2; ++i) Pass(std::chrono::milliseconds(20));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
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

// Beside a kubelet, a hard threshold is acted for before a soft one in any case.
TEST_F(NodePaceBesideTest, AHardThresholdDoesNotWaitForASoftOneThatIsMoreUrgentAndWaits) {
  thresholds_ = {Of(Signal::kMemoryAvailable, 200, 60),
                 Of(Signal::kAllocatableMemoryAvailable, 100)};
  figures_.node.pods_memory = MemoryStats{
      .available_bytes = 300 * kMi, .usage_bytes = 100 * kMi, .working_set_bytes = 100 * kMi};
  Start();
  pods_.SetWanted({}, clock_.Now());
  Pass(seconds(40));
  Measure();
  figures_.SetAvailable(100);
  for (int i = 0; i < 8; ++i) FullPass();
  std::vector<Pod> pods = {PodNamed("hog"), PodNamed("idle")};
  for (Pod& pod : pods) pod.containers.front().resources.requests["memory"] = Quantity::Of(1);
  figures_.memory = {{"hog", 60 * kMi}, {"idle", kMi}};
  pods_.SetWanted(WantedPods(std::move(pods)), clock_.Now());
  Deliver();
  runtime_.TakeCommands();
  clock_.Advance(seconds(1));
  Crossed();
  ASSERT_TRUE(node_->MakeSnapshot().pause);
  EXPECT_EQ(node_->MakeSnapshot().pause->reason, PaceReason::kNotTheirs);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  figures_.node.pods_memory->available_bytes = 50 * kMi;
  Pass(milliseconds(20));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
  ExpectEvictedFor(Signal::kAllocatableMemoryAvailable);
}

TEST_F(NodePaceTest, GrowthOfOthersEndsNobodyAtOnce) {
  figures_.memory = {{"hog", 100 * kMi}, {"idle", 90 * kMi}};
  Start();
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
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
  Pass(seconds(3));
  Crossed();
  Deliver();
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
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
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
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
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

// Process ids and the disk run short at the same time, both because of one pod.
TEST_F(NodePaceTest, ADiskWaitsForWhatAPodGivesBackThatWasEvictedForProcessIds) {
  thresholds_.push_back(
      {.signal = Signal::kPidAvailable, .value = Quantity::Of(1000), .grace_period = {}});
  figures_.node.rlimit = RlimitStats{.max_pid = 30000, .running = 1000};
  Start();
  figures_.tasks = {{"hog", 20000}, {"idle", 1}};
  figures_.node.rlimit->running = 29900;
  figures_.node.fs->available_bytes = 1 * kMi;
  disk_["hog"].total = {.used_bytes = 900 * kMi, .inodes_used = 3};
  disk_["idle"].total = {.used_bytes = 1 * kMi, .inodes_used = 3};
  Pass(seconds(10));
  for (int i = 0; i < 20; ++i) {
    Measure();
    Pass(kStep);
  }
  EXPECT_THAT(runtime_.TakeCommands(),
              AllOf(Contains("stop hog/c 1s"), Not(Contains("stop idle/c 1s"))));
  figures_.node.rlimit->running = 1000;
  figures_.node.fs->available_bytes = 1000 * kMi;
  for (int i = 0; i < 3; ++i) FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains("stop idle/c 1s")));
}

// ... whatever was evicted before it.
TEST_F(NodePaceTest, ASoftEvictionThatIsAwaitedPutsOffNoHardThreshold) {
  Start();
  figures_.SetAvailable(99);
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop hog/c 1s"));
  figures_.SetAvailable(400);
  for (int i = 0; i < 4; ++i) FullPass();
  pods_.SetWanted(WantedPods({PodNamed("hog2"), PodNamed("idle")}), clock_.Now());
  Deliver();
  FullPass();
  figures_.memory["hog2"] = 200 * kMi;
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(150);
  for (int i = 0; i < 7; ++i) FullPass();
  ASSERT_THAT(runtime_.TakeCommands(), Contains("stop hog2/c 20s"));
  figures_.node.fs->available_bytes = 1 * kMi;
  disk_["idle"].total = {.used_bytes = 900 * kMi, .inodes_used = 3};
  Pass(seconds(10));
  clock_.Advance(milliseconds(3));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
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
  figures_.SetAvailable(50);
  Pass(seconds(3));
  Crossed();
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
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
  for (int i = 0; i < 100; ++i) {
    Pass(kStep);
    Crossed();
    Measure();
  }
  EXPECT_EQ(node_->counters().dry_run_victims[IndexOf(Signal::kMemoryAvailable)], 1U);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_FALSE(node_->MakeSnapshot().waiting_for_cleanup);
}

}  // namespace
}  // namespace jettison
