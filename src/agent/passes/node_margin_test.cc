#include <string>
#include <vector>

#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

Threshold Beside(Threshold threshold, std::uint64_t kubelets_mi, int grace_seconds = 0) {
  threshold.kubelet =
      KubeletLine{.value = Quantity::Of(static_cast<std::int64_t>(kubelets_mi * kMi)),
                  .grace_period = seconds(grace_seconds)};
  return threshold;
}

Pod Requesting(const std::string& name, const std::string& memory) {
  Pod pod = PodNamed(name);
  pod.containers.front().resources.requests["memory"] = *Quantity::Parse(memory);
  return pod;
}

// Ours at 200Mi beside the kubelet's at 50Mi. Two pods of 150 MiB keep to their requests, and a
// small one has none.
class NodeMarginTest : public NodeTestBed {
 protected:
  NodeMarginTest() {
    thresholds_ = {Beside(Of(Signal::kMemoryAvailable, 200), 50)};
    wanted_ = {Requesting("packed", "160Mi"), Requesting("full", "150Mi"), PodNamed("small")};
    figures_.memory = {{"packed", 150 * kMi}, {"full", 150 * kMi}, {"small", 0}};
  }
  [[nodiscard]] bool HasPressure() const {
    return node_->state().conditions.Has(NodeConditionType::kMemoryPressure);
  }
  void FallTo(std::uint64_t mi, Duration time) {
    figures_.SetAvailable(mi);
    Turn(time);
  }
};

TEST_F(NodeMarginTest, OnAPackedNodeNobodyIsEvictedAndNoPressureIsReported) {
  for (const std::uint64_t small : {0U, 4U}) {
    figures_.memory["small"] = small * kMi;  // above its request, but its end would not help
    Start();
    FallTo(120, seconds(60));
    EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
    EXPECT_FALSE(HasPressure());
    EXPECT_THAT(lines_, IsEmpty()) << "no attempt to reclaim memory";
    EXPECT_FALSE(node_->MakeSnapshot().last_report->acting_for);
  }
}

TEST_F(NodeMarginTest, APodThatGrowsThereIsEvictedAlone) {
  Start();
  FallTo(120, seconds(20));
  figures_.memory["small"] = 30 * kMi;
  FallTo(90, milliseconds(600));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop small/c 1s", "remove small"));
  EXPECT_TRUE(HasPressure());
  figures_.memory["small"] = 0;
  FallTo(120, seconds(60));
  EXPECT_FALSE(HasPressure()) << "its transition period is over";
}

TEST_F(NodeMarginTest, AtTheKubeletsLineTheRankingIsTheKubelets) {
  Start();
  FallTo(60, seconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  FallTo(49, seconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop full/c 1s", "remove full"))
      << "its usage minus its request is larger";
  EXPECT_TRUE(HasPressure());
}

TEST_F(NodeMarginTest, AtTheKubeletsLineThereIsPressureBeforeASoftGracePeriodIsOver) {
  thresholds_ = {Beside(Of(Signal::kMemoryAvailable, 200, 30), 50, 30)};
  Start();
  FallTo(60, seconds(120));
  EXPECT_FALSE(HasPressure());
  FallTo(49, seconds(29));
  EXPECT_TRUE(HasPressure());
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "the kubelet's own grace period counts";
  FallTo(49, seconds(2));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop full/c 20s"));
}

TEST_F(NodeMarginTest, AThresholdThatIsAlwaysMetNeverActs) {
  thresholds_ = {Beside(Of(Signal::kMemoryAvailable, 500), 50)};
  figures_.memory["small"] = 30 * kMi;
  Start();
  FallTo(10, seconds(60));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_FALSE(HasPressure());
}

TEST_F(NodeMarginTest, AThresholdWithoutACandidateKeepsNoOtherFromActing) {
  thresholds_.push_back({.signal = Signal::kPidAvailable, .value = Quantity::Of(100)});
  thresholds_.push_back(Of(Signal::kAllocatableMemoryAvailable, 30));
  figures_.node.rlimit = RlimitStats{.time = std::nullopt, .max_pid = 1000, .running = 100};
  figures_.tasks = {{"packed", 1}, {"full", 1}, {"small", 800}};
  Start();
  FallTo(120, seconds(20));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  figures_.node.rlimit->running = 950;
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop small/c 1s", "remove small"));
}

}  // namespace
}  // namespace jettison
