#include <string>
#include <vector>

#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

class NodeContendersTest : public NodeTestBed {};

TEST_F(NodeContendersTest, OnlyWhoeverMayGoFirstIsReadBeforeTheKill) {
  Start();
  figures_.SetAvailable(99);
  Pass(std::chrono::seconds(3));
  figures_.memory_reads = figures_.charge_reads = figures_.figure_reads = 0;
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), testing::ElementsAre("stop hog/c 1s"));
  EXPECT_EQ(figures_.charge_reads, 1);
  EXPECT_EQ(figures_.figure_reads, 2) << "the second pod after the kill";
  EXPECT_EQ(figures_.memory_reads, 0);
}

TEST_F(NodeContendersTest, TheVictimHasTheProcessorBeforeTheOthersAreRead) {
  Start();
  figures_.SetAvailable(99);
  Pass(std::chrono::seconds(3));
  figures_.figure_reads = 0;
  EXPECT_THAT(figures_at_way_, testing::IsEmpty());
  Crossed();
  EXPECT_THAT(figures_at_way_, testing::ElementsAre(1)) << "only the victim had been read";
  EXPECT_EQ(figures_.figure_reads, 2);
}

TEST_F(NodeContendersTest, WhereTheKnownPodsHoldTooLittleAllAreReadBeforeAnybodyWaits) {
  figures_.memory = {{"hog", 5 * kMi}, {"idle", kMi}};
  Start();
  figures_.SetAvailable(0);
  Pass(std::chrono::seconds(3));
  figures_.figure_reads = 0;
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), testing::IsEmpty());
  ASSERT_TRUE(node_->MakeSnapshot().last_report->pause);
  EXPECT_EQ(node_->MakeSnapshot().last_report->pause->reason, PaceReason::kNotTheirs);
  EXPECT_GE(figures_.figure_reads, 3) << "the search for the first one, and then both pods";
}

TEST_F(NodeContendersTest, AfterAnEvictionAllAreReadBecauseTheirSumDecides) {
  Start();
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(99);
  Pass(std::chrono::seconds(3));
  Crossed();
  figures_.memory_reads = 0;
  clock_.Advance(std::chrono::milliseconds(100));
  figures_.SetAvailable(98);
  Crossed();
  EXPECT_GE(figures_.memory_reads, 1);
}

// A disk and process IDs run short together, and the walk through pods' files is not over.
class NodeContendersBesideDiskTest : public NodeContendersTest {
 protected:
  void SetUp() override {
    thresholds_.push_back({.signal = Signal::kPidAvailable,
                           .value = Quantity::Of(100),
                           .grace_period = Duration::zero(),
                           .min_reclaim = std::nullopt});
    figures_.node.rlimit = RlimitStats{.time = std::nullopt, .max_pid = 1000, .running = 100};
    figures_.tasks = {{"hog", 1}, {"idle", 1}};
    Start();
    figures_.node.fs->available_bytes = 49 * kMi;
  }
  void RunShortOfProcessIds(std::uint64_t of_hog, std::uint64_t of_idle) {
    figures_.tasks = {{"hog", of_hog}, {"idle", of_idle}};
    figures_.node.rlimit->running = 950;
    Pass(std::chrono::seconds(3));
    figures_.readings = figures_.charge_reads = 0;
    Crossed();
  }
  // What is decided by the record of the pass, in which every pod has been read.
  [[nodiscard]] static PassDecision Again(const RecordedPass& pass) {
    std::vector<const PodFacts*> pods;
    for (const auto& facts : pass.pods) pods.push_back(facts.get());
    std::vector<ActivePod> joined;
    JoinStats(pods, pass.summary, joined);
    return DecidePass(*pass.policy,
                      PlanReading(*pass.policy, pass.before, pass.summary.node, pass.report.at),
                      joined, pass.pace);
  }
};

TEST_F(NodeContendersBesideDiskTest, AForkBombIsEndedBeforeTheOtherPodsAreRead) {
  RunShortOfProcessIds(3, 840);
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop idle/c 1s"));
  ASSERT_THAT(readings_at_way_, testing::ElementsAre(0)) << "before the kill";
  EXPECT_GE(figures_.readings, 1) << "after it";
}

TEST_F(NodeContendersBesideDiskTest, ItsRecordShowsTheSameDecisionByTheFiguresOfAllPods) {
  RunShortOfProcessIds(3, 840);
  ASSERT_EQ(evictions_.size(), 1U);
  const RecordedPass& pass = *evictions_.front();
  EXPECT_EQ(pass.report.acting_for->signal, Signal::kPidAvailable);
  EXPECT_EQ(pass.report.evictions.front().order.pod_uid, "idle");
  EXPECT_EQ(pass.summary.pods[0].process_count, 3U) << "it was read after the kill";
  for (const PodStats& pod : pass.summary.pods) {
    EXPECT_TRUE(pod.stale_disk && !pod.stale_disk->measured_at) << pod.uid;
  }
  const PassDecision again = Again(pass);
  ASSERT_TRUE(again.decision.victim);
  EXPECT_EQ(pass.policy->thresholds[*again.decision.threshold].signal, Signal::kPidAvailable);
  EXPECT_EQ(pass.pods[*again.decision.victim]->pod.uid, "idle");
  EXPECT_FALSE(again.pause);
}

TEST_F(NodeContendersBesideDiskTest, WhereTheLargestPodsAloneDoNotSufficeAllAreRead) {
  RunShortOfProcessIds(3, 2);
  EXPECT_THAT(runtime_.TakeCommands(), testing::IsEmpty());
  EXPECT_EQ(figures_.readings, 1);
  EXPECT_THAT(readings_at_way_, testing::IsEmpty());
  ASSERT_TRUE(node_->MakeSnapshot().last_report->pause);
  EXPECT_EQ(node_->MakeSnapshot().last_report->pause->reason, PaceReason::kNotTheirs);
}

}  // namespace
}  // namespace jettison
