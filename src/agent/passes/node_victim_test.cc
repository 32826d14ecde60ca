#include <string>
#include <vector>

#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

class NodeVictimTest : public NodeTestBed {};

TEST_F(NodeVictimTest, WhereThePodsTogetherHoldTooLittleTheEvictionWaits) {
  figures_.memory = {{"hog", 5 * kMi}, {"idle", kMi}};
  Start();
  figures_.SetAvailable(0);
  Pass(std::chrono::seconds(3));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), testing::IsEmpty());
  ASSERT_TRUE(node_->MakeSnapshot().last_report->pause);
  EXPECT_EQ(node_->MakeSnapshot().last_report->pause->reason, PaceReason::kNotTheirs);
}

// A disk and process IDs run short together, and the walk through pods' files is not over.
class NodeVictimBesideDiskTest : public NodeVictimTest {
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

TEST_F(NodeVictimBesideDiskTest, AForkBombIsEndedAlthoughTheDisksWalkIsNotOver) {
  RunShortOfProcessIds(3, 840);
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop idle/c 1s"));
}

TEST_F(NodeVictimBesideDiskTest, ItsRecordShowsTheSameDecisionByTheFiguresOfAllPods) {
  RunShortOfProcessIds(3, 840);
  ASSERT_EQ(evictions_.size(), 1U);
  const RecordedPass& pass = *evictions_.front();
  EXPECT_EQ(pass.report.acting_for->signal, Signal::kPidAvailable);
  EXPECT_EQ(pass.report.evictions.front().order.pod_uid, "idle");
  EXPECT_EQ(pass.summary.pods[0].process_count, 3U);
  for (const PodStats& pod : pass.summary.pods) {
    EXPECT_TRUE(pod.stale_disk && !pod.stale_disk->measured_at) << pod.uid;
  }
  const PassDecision again = Again(pass);
  ASSERT_TRUE(again.decision.victim);
  EXPECT_EQ(pass.policy->thresholds[*again.decision.threshold].signal, Signal::kPidAvailable);
  EXPECT_EQ(pass.pods[*again.decision.victim]->pod.uid, "idle");
  EXPECT_FALSE(again.pause);
}

TEST_F(NodeVictimBesideDiskTest, WhereNoPodHoldsWhatIsMissingTheEvictionWaits) {
  RunShortOfProcessIds(3, 2);
  EXPECT_THAT(runtime_.TakeCommands(), testing::IsEmpty());
  ASSERT_TRUE(node_->MakeSnapshot().last_report->pause);
  EXPECT_EQ(node_->MakeSnapshot().last_report->pause->reason, PaceReason::kNotTheirs);
}

}  // namespace
}  // namespace jettison
