#include "agent/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/node_actions.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kMi = 1 << 20;

// Figures as the test sets them; counts how often pods were read.
class FakeFigures : public Figures {
 public:
  explicit FakeFigures(const Clock& clock) : clock_(clock) {}

  NodeStats ReadNode() override {
    NodeStats stats = node;
    if (stats.memory) stats.memory->time = clock_.Now();
    if (stats.fs) stats.fs->time = clock_.Now();
    return stats;
  }
  void ReadPods(std::span<const PodFacts* const> pods, const DiskUse* disk,
                std::vector<PodStats>& stats) override {
    stats.clear();
    for (const PodFacts* facts : pods) {
      PodStats& pod = stats.emplace_back();
      pod.uid = facts->pod.uid;
      pod.has_memory = true;
      pod.memory_working_set_bytes = memory[facts->pod.name];
      if (disk == nullptr) continue;
      const auto use = disk->find(pod.uid);
      if (use == disk->end()) continue;
      pod.ephemeral_storage = use->second.total;
      pod.volumes = use->second.volumes;
    }
  }
  void ReadMemoryOf(std::span<const PodFacts* const> pods, std::vector<PodStats>& stats) override {
    ++memory_reads;
    ReadPods(pods, nullptr, stats);
  }
  void ReadContainersOf(const PodFacts& pod, PodStats& stats) override {
    stats.containers.push_back({.name = "c", .memory_working_set_bytes = memory[pod.pod.name]});
  }
  void SetAvailable(std::uint64_t mi, std::uint64_t inactive_mi = 0) {
    node.memory = MemoryStats{.time = std::nullopt,
                              .available_bytes = mi * kMi,
                              .usage_bytes = (500 - mi + inactive_mi) * kMi,
                              .working_set_bytes = (500 - mi) * kMi};
  }

  NodeStats node;
  int memory_reads = 0;
  std::map<std::string, std::uint64_t> memory;  // by pod name

 private:
  const Clock& clock_;
};

class FakeWalks : public DiskWalks {
 public:
  void Start(std::span<const PodFacts* const>) override { ++started; }
  int started = 0;
};

class FakeNotifier : public MemoryNotifier {
 public:
  void Arm(std::vector<MemoryLevel> levels) override { armed.push_back(std::move(levels)); }
  std::vector<std::vector<MemoryLevel>> armed;
};

// Done at once, or under way until the test says that it is over.
class FakeReclaimer : public LastingReclaimer {
 public:
  Result<ReclaimProgress> DeleteDeadContainers() override {
    asked.emplace_back("containers");
    return ReclaimProgress::kDone;
  }
  Result<ReclaimProgress> DeleteUnusedImages() override {
    asked.emplace_back("images");
    if (!lasting || over) return ReclaimProgress::kDone;
    under_way = true;
    return ReclaimProgress::kUnderWay;
  }
  void Advance(Instant) override {}
  std::optional<Instant> NextDeadline() const override { return std::nullopt; }
  bool UnderWay() const override { return under_way; }
  void Forget() override { over = false; }
  void End() {
    under_way = false;
    over = true;
  }

  bool lasting = false;
  bool under_way = false;
  bool over = false;  // and not forgotten
  std::vector<std::string> asked;
};

Threshold Of(Signal signal, std::uint64_t mi, int grace_seconds = 0) {
  return {.signal = signal,
          .value = Quantity::Of(static_cast<std::int64_t>(mi * kMi)),
          .grace_period = seconds(grace_seconds),
          .min_reclaim = std::nullopt};
}

Pod PodNamed(const std::string& name) {
  Pod pod;
  pod.name = name;
  pod.uid = name;
  pod.containers.emplace_back().name = "c";
  return pod;
}

// Hard memory at 100Mi, soft at 200Mi for 60 s, hard nodefs at 50Mi; two pods, "hog" the larger.
class NodeTest : public testing::Test {
 protected:
  NodeTest() {
    figures_.SetAvailable(400);
    figures_.node.fs =
        FsStats{.time = std::nullopt, .available_bytes = 1000 * kMi, .capacity_bytes = 2000 * kMi};
    figures_.memory = {{"hog", 300 * kMi}, {"idle", kMi}};
  }
  void Start(bool dry_run = false, std::optional<DiskLayout> layout = {}) {
    if (dry_run) {
      killer_ = std::make_unique<DryRunKiller>();
    } else {
      killer_ = std::make_unique<TableKiller>(pods_, clock_);
    }
    node_ = std::make_unique<Node>(
        NodeSettings{.policy = {.thresholds = {Of(Signal::kMemoryAvailable, 100),
                                               Of(Signal::kMemoryAvailable, 200, 60),
                                               Of(Signal::kNodeFsAvailable, 50)},
                                .pressure_transition_period = seconds(30),
                                .max_pod_grace_period_seconds = 20},
                     .monitoring_interval = seconds(10),
                     .container_gc = {},
                     .memory_notifications = true},
        NodeEdges{.clock = clock_,
                  .figures = figures_,
                  .disk_walks = walks_,
                  .notifier = notifier_,
                  .pods = pods_,
                  .killer = *killer_,
                  .reclaimer = reclaimer_,
                  .events = events_,
                  .log = log_,
                  .collect_remains = [this] { ++collections_; }});
    if (layout) {
      node_->SetLayout(*layout,
                       {Of(Signal::kNodeFsAvailable, 50), Of(Signal::kImageFsAvailable, 50)});
    }
    node_->Begin();
    pods_.SetWanted({PodNamed("hog"), PodNamed("idle")}, clock_.Now());
    Deliver();
    node_->DiskMeasured(disk_);
    runtime_.TakeCommands();
    lines_.clear();
  }
  void Deliver() {
    for (auto told = runtime_.TakeEvents(); !told.empty(); told = runtime_.TakeEvents()) {
      for (const RuntimeEvent& event : told) pods_.Handle(event, clock_.Now());
    }
    node_->Advance();
  }
  void Pass(Duration time) {
    clock_.Advance(time);
    runtime_.SetNow(clock_.Now());
    node_->Advance();
    Deliver();
  }
  // A full pass at the next interval.
  void FullPass() {
    Pass(seconds(10));
    Measure();
  }
  // Disk pressure, and a reclaim of it that takes its time.
  void StartLastingReclaim() {
    reclaimer_.lasting = true;
    figures_.node.fs->available_bytes = 49 * kMi;
    disk_["hog"].total = {.used_bytes = 30 * kMi, .inodes_used = 3};
    FullPass();
  }
  void Crossed() { node_->MemoryCrossed(); }
  void Measure() { node_->DiskMeasured(disk_); }

  FakeClock clock_{Instant(std::chrono::hours(1))};
  FakeRuntime runtime_;
  FakeFigures figures_{clock_};
  FakeWalks walks_;
  FakeNotifier notifier_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  EventLog events_{log_, 100};
  WorkerEdges edges_{runtime_, events_, log_, 500 * kMi};
  PodTable pods_{Profile::kStandalone, kComeBackRule, edges_};
  FakeReclaimer reclaimer_;
  std::unique_ptr<NodeKiller> killer_;
  DiskUse disk_;
  int collections_ = 0;  // of what is left of pods that are gone
  std::unique_ptr<Node> node_;
};

TEST_F(NodeTest, PassesEveryIntervalAfterMeasuringDiskUseAndSaysNothingWhenNothingHappens) {
  Start();
  EXPECT_EQ(node_->passes(), 2U) << "a first look, then a full pass";
  EXPECT_EQ(node_->NextDeadline(), clock_.Now() + seconds(10));
  Pass(seconds(10));
  EXPECT_EQ(walks_.started, 1);
  EXPECT_EQ(node_->passes(), 2U) << "the walk is still under way";
  clock_.Advance(seconds(3));
  Measure();
  EXPECT_EQ(node_->passes(), 3U);
  EXPECT_EQ(node_->NextDeadline(), clock_.Now() + seconds(10));
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(NodeTest, RemainsAreCollectedEveryMinute) {
  Start();
  for (int pass = 0; pass < 5; ++pass) FullPass();
  EXPECT_EQ(collections_, 0);
  FullPass();
  EXPECT_EQ(collections_, 1);
  for (int pass = 0; pass < 6; ++pass) FullPass();
  EXPECT_EQ(collections_, 2);
}

TEST_F(NodeTest, AWakeUpEvictsTheLargestPodAtOnceOnFreshFigures) {
  Start();
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  EXPECT_TRUE(node_->MakeSnapshot().waiting_for_cleanup);
  EXPECT_THAT(lines_[1], testing::HasSubstr("must evict pod(s) to reclaim"));
}

TEST_F(NodeTest, MemoryOfAPodIsReadWhenItComesSoThatTheFirstTimeIsNotWhenItRunsOut) {
  Start();
  const int reads = figures_.memory_reads;
  EXPECT_GT(reads, 0);
  Pass(seconds(1));
  EXPECT_EQ(figures_.memory_reads, reads);
  pods_.SetWanted({PodNamed("hog"), PodNamed("idle"), PodNamed("new")}, clock_.Now());
  Deliver();
  EXPECT_EQ(figures_.memory_reads, reads + 1);
}

TEST_F(NodeTest, AWakeUpThatFindsNoPressureDoesNothing) {
  Start();
  clock_.Advance(seconds(3));
  figures_.SetAvailable(101 + 100);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(NodeTest, WakeUpsInQuickSuccessionAreLookedAtTogether) {
  Start();
  clock_.Advance(seconds(3));
  Crossed();
  const std::uint64_t passes = node_->passes();
  Crossed();
  EXPECT_EQ(node_->passes(), passes);
  EXPECT_EQ(node_->NextDeadline(), clock_.Now() + milliseconds(1));
  figures_.SetAvailable(99);
  Pass(milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeTest, JustBeforeAThresholdMemoryIsLookedAtEveryHalfMillisecondForALittleWhile) {
  Start();
  clock_.Advance(seconds(3));
  figures_.SetAvailable(101);
  Crossed();
  int looks = 0;
  while (node_->NextDeadline() == clock_.Now() + std::chrono::microseconds(500)) {
    Pass(std::chrono::microseconds(500));
    ++looks;
  }
  EXPECT_EQ(looks, 60);
  Pass(milliseconds(100));
  Crossed();
  EXPECT_GT(*node_->NextDeadline(), clock_.Now() + seconds(1)) << "not again that soon";
  Pass(milliseconds(200));
  Crossed();
  EXPECT_EQ(node_->NextDeadline(), clock_.Now() + std::chrono::microseconds(500));
  figures_.SetAvailable(99);
  Pass(std::chrono::microseconds(500));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeTest, NoSecondPodBeforeTheFirstOneIsGoneThenAFullPassAtOnce) {
  Start();
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  clock_.Advance(milliseconds(500));
  Crossed();
  Pass(seconds(8));  // a periodic pass would be due
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("kill hog/c", "remove hog"));
  EXPECT_EQ(walks_.started, 1) << "the clean-up asks for a full pass";
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop idle/c 1s")) << "pressure goes on";
}

TEST_F(NodeTest, ASecondPodGoesWhenTheFirstIsNotGoneAfterThirtySeconds) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
  for (int i = 0; i < 29; ++i) {
    Pass(seconds(1));
    Measure();
    clock_.Advance(milliseconds(1));
    Crossed();
  }
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s", "kill hog/c", "kill hog/c"));
  Pass(seconds(1));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop idle/c 1s"));
}

TEST_F(NodeTest, ASoftThresholdActsWhenItsGracePeriodEndsEvenBetweenTwoPasses) {
  Start();
  figures_.SetAvailable(150);
  Pass(seconds(10));
  Measure();
  const Instant crossed = clock_.Now();
  for (int i = 0; i < 5; ++i) {
    Pass(seconds(10));
    clock_.Advance(seconds(1));
    Measure();
  }
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_EQ(node_->NextDeadline(), crossed + seconds(60));
  Pass(crossed + seconds(60) - clock_.Now());
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 20s"));
}

TEST_F(NodeTest, AHardThresholdShortensASoftEvictionThatIsUnderWay) {
  Start();
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(150);
  Pass(seconds(10));
  Measure();
  Pass(seconds(60));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 20s"));
  Pass(seconds(2));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "the soft one is being waited for";
  Pass(seconds(2));
  figures_.SetAvailable(99);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

TEST_F(NodeTest, AHardThresholdIsSeenWithoutNotificationWhileASoftEvictionWaits) {
  Start();
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(150);
  Pass(seconds(10));
  Measure();
  Pass(seconds(60));
  Measure();
  runtime_.TakeCommands();
  figures_.SetAvailable(99);
  Pass(seconds(10));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

TEST_F(NodeTest, AWakeUpThatFindsADiskShortAsksForAFullPassInsteadOfDeciding) {
  Start();
  clock_.Advance(seconds(3));
  figures_.node.fs->available_bytes = 49 * kMi;
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(seconds(0));
  EXPECT_EQ(walks_.started, 1);
  disk_["idle"].total = {.used_bytes = 30 * kMi, .inodes_used = 3};
  disk_["hog"].total = {.used_bytes = kMi, .inodes_used = 1};
  disk_["idle"].containers.push_back(
      {.name = "c", .rootfs = {.used_bytes = 30 * kMi, .inodes_used = 3}, .logs = {}});
  Measure();
  EXPECT_EQ(runtime_.TakeCommands().size(), 1U);
}

TEST_F(NodeTest, NobodyIsEvictedWhileAReclaimIsUnderWay) {
  Start();
  StartLastingReclaim();
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_TRUE(node_->MakeSnapshot().conditions.Has(NodeConditionType::kDiskPressure));
  EXPECT_THAT(lines_, testing::Contains(testing::HasSubstr("reclaim is under way")));
}

TEST_F(NodeTest, AFullPassFollowsTheEndOfAReclaimAtOnceAndEvictsWherePressureRemains) {
  Start();
  StartLastingReclaim();
  const int walks = walks_.started;
  Pass(seconds(2));
  EXPECT_EQ(walks_.started, walks);
  reclaimer_.End();
  Pass(milliseconds(1));
  ASSERT_EQ(walks_.started, walks + 1);
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
  EXPECT_FALSE(reclaimer_.over) << "next time it is done anew";
}

TEST_F(NodeTest, NobodyIsEvictedWhereAReclaimThatTookItsTimeWasEnough) {
  Start();
  StartLastingReclaim();
  reclaimer_.End();
  figures_.node.fs->available_bytes = 500 * kMi;
  Pass(milliseconds(1));
  Measure();
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_FALSE(reclaimer_.over);
}

TEST_F(NodeTest, AHardMemoryThresholdActsWhileAReclaimIsUnderWay) {
  Start();
  StartLastingReclaim();
  Pass(seconds(2));
  figures_.SetAvailable(99);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  EXPECT_TRUE(reclaimer_.under_way);
}

TEST_F(NodeTest, AWakeUpWhileAReclaimIsUnderWayMeasuresNothingInVain) {
  Start();
  StartLastingReclaim();
  const int walks = walks_.started;
  Pass(seconds(2));
  Crossed();
  Pass(milliseconds(1));
  EXPECT_EQ(walks_.started, walks);
}

TEST_F(NodeTest, TheLayoutThatTheRuntimeToldDecidesWhatIsReclaimed) {
  Start(/*dry_run=*/false, DiskLayout{.dedicated_image_fs = true});
  EXPECT_EQ(node_->MakeSnapshot().thresholds.size(), 2U);
  figures_.node.fs->available_bytes = 49 * kMi;
  FullPass();
  EXPECT_THAT(reclaimer_.asked, IsEmpty()) << "images and dead containers lie elsewhere";
  EXPECT_THAT(runtime_.TakeCommands(), testing::Not(IsEmpty()));
}

TEST_F(NodeTest, MemoryComesFirstEvenWhereADiskIsShortToo) {
  Start();
  clock_.Advance(seconds(3));
  figures_.node.fs->available_bytes = 49 * kMi;
  figures_.SetAvailable(99);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

TEST_F(NodeTest, LevelsAreRegisteredAgainWhenTheyMoved) {
  Start();
  ASSERT_EQ(notifier_.armed.size(), 1U);
  EXPECT_THAT(notifier_.armed[0], ElementsAre(MemoryLevel{0, Signal::kMemoryAvailable, 399 * kMi},
                                              MemoryLevel{0, Signal::kMemoryAvailable, 400 * kMi},
                                              MemoryLevel{1, Signal::kMemoryAvailable, 299 * kMi},
                                              MemoryLevel{1, Signal::kMemoryAvailable, 300 * kMi}));
  Pass(seconds(10));
  Measure();
  EXPECT_EQ(notifier_.armed.size(), 1U);
  figures_.SetAvailable(400, 20);
  Pass(seconds(10));
  Measure();
  ASSERT_EQ(notifier_.armed.size(), 2U);
  EXPECT_EQ(notifier_.armed[1][1].bytes, 420 * kMi);
  figures_.SetAvailable(400, 30);
  clock_.Advance(milliseconds(10));
  Crossed();
  EXPECT_EQ(notifier_.armed.size(), 2U) << "not that soon";
  Pass(milliseconds(90));
  EXPECT_EQ(notifier_.armed.size(), 3U);
}

TEST_F(NodeTest, ADryRunTellsAndEvictsNobody) {
  Start(/*dry_run=*/true);
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_FALSE(node_->MakeSnapshot().waiting_for_cleanup);
  EXPECT_FALSE(lines_.empty());
}

TEST_F(NodeTest, ASnapshotShowsThresholdsConditionsPodsAndEvents) {
  Start();
  Pass(seconds(10));
  Measure();
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  Deliver();
  const Snapshot snapshot = node_->MakeSnapshot();
  EXPECT_TRUE(snapshot.conditions.Has(NodeConditionType::kMemoryPressure));
  ASSERT_EQ(snapshot.thresholds.size(), 3U);
  EXPECT_TRUE(snapshot.thresholds[0].met);
  EXPECT_EQ(snapshot.thresholds[0].observation->available, static_cast<std::int64_t>(99 * kMi));
  ASSERT_EQ(snapshot.pods.size(), 2U);
  EXPECT_EQ(snapshot.pods[0].status.reason, "Evicted");
  EXPECT_EQ(snapshot.pods[0].evictions, 1);
  EXPECT_EQ(snapshot.pods[1].memory_working_set_bytes, kMi);
  std::vector<std::string> reasons;
  for (const LoggedEvent& event : snapshot.events) reasons.push_back(event.event.reason);
  EXPECT_THAT(reasons, ElementsAre("Started", "Started", "EvictionThresholdMet", "Evicted",
                                   "NodeHasInsufficientMemory"));
}

}  // namespace
}  // namespace jettison
