#include "agent/cluster/node_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/test_bed/fake_cluster.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kShortage = NodeConditionType::kMemoryPressure;
constexpr const char* kGet = "GET /api/v1/nodes/bed";
constexpr const char* kTaintCall = "PATCH /api/v1/nodes/bed";
constexpr const char* kCondition = "PATCH /api/v1/nodes/bed/status";
constexpr const char* kNoSuchNode =
    R"({"kind":"Status","code":404,"reason":"NotFound","message":"nodes \"bed\" not found"})";

std::string NodeJson(int version, const std::string& taint = "") {
  const std::string taints =
      taint.empty() ? "" : R"({"key":")" + taint + R"(","effect":"NoSchedule"})";
  return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"bed","uid":"n-1",)"
         R"("resourceVersion":")" +
         std::to_string(version) + R"("},"spec":{"taints":[)" + taints + "]}}";
}
NodeConditions Memory() {
  NodeConditions conditions;
  conditions.Set(kShortage);
  return conditions;
}

class NodeReporterTest : public testing::Test {
 protected:
  void SetUp() override {
    reporter_ = std::make_unique<NodeReporter>(
        ClusterAccess{.cluster = cluster_, .clock = clock_, .log = log_}, "bed");
    reporter_->Advance(clock_.Now());
  }
  void ReadNode() {
    ASSERT_THAT(cluster_.Waiting(), ElementsAre(kGet));
    cluster_.Answer(200, NodeJson(1));
  }

  FakeClock clock_{Instant(hours(500'000))};
  kube::FakeCluster cluster_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  std::unique_ptr<NodeReporter> reporter_;
};

TEST_F(NodeReporterTest, ANameThatNoNodeHasIsSaidOnceAndAskedForOnceAMinute) {
  cluster_.Answer(404, kNoSuchNode);
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("no node of this name"), HasSubstr("node=bed"),
                                        HasSubstr("nodeName"), HasSubstr("NODE_NAME"))));
  EXPECT_EQ(reporter_->WhyMissing(), "the cluster has no node bed");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(reporter_->NextDeadline(), clock_.Now() + minutes(1));
    clock_.Advance(minutes(1));
    reporter_->Advance(clock_.Now());
    ASSERT_THAT(cluster_.Waiting(), ElementsAre(kGet));
    cluster_.Answer(i % 2 == 0 ? 503 : 404, i % 2 == 0 ? "" : kNoSuchNode);
    EXPECT_EQ(reporter_->WhyMissing(), "the cluster has no node bed");
  }
  EXPECT_THAT(lines_, SizeIs(2)) << "503 is another fault";
  clock_.Advance(minutes(1));
  reporter_->Advance(clock_.Now());
  ReadNode();
  EXPECT_EQ(reporter_->WhyMissing(), "");
  EXPECT_EQ(reporter_->NextDeadline(), std::nullopt);
}

TEST_F(NodeReporterTest, AConditionIsToldWithItsTaintAndOnceAMinute) {
  ReadNode();
  reporter_->SetConditions(Memory(), clock_.Now());
  EXPECT_THAT(cluster_.Waiting(), ElementsAre(kTaintCall, kCondition))
      << "the two calls do not wait for each other";
  cluster_.Answer(200, NodeJson(2, "jettison.io/memory-pressure"));
  cluster_.Answer(200, NodeJson(3, "jettison.io/memory-pressure"));
  EXPECT_TRUE(reporter_->IsSettled(kShortage));
  EXPECT_EQ(reporter_->NextDeadline(), clock_.Now() + minutes(1));
  clock_.Advance(minutes(1));
  reporter_->Advance(clock_.Now());
  EXPECT_THAT(cluster_.Waiting(), ElementsAre(kCondition));
  cluster_.Answer(200, NodeJson(4));
  EXPECT_THAT(cluster_.Waiting(), ElementsAre(kTaintCall)) << "another client removed the taint";
}

TEST_F(NodeReporterTest, ATaintThatIsForbiddenIsSaidOnceAndNotWaitedFor) {
  ReadNode();
  reporter_->Urge(kShortage, clock_.Now());
  cluster_.Answer(403);
  EXPECT_TRUE(reporter_->IsSettled(kShortage));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("resources: [nodes], verbs: [patch]")));
  reporter_->Urge(kShortage, clock_.Now());
  EXPECT_THAT(cluster_.Waiting(), IsEmpty());
  EXPECT_THAT(lines_, SizeIs(1));
}

TEST_F(NodeReporterTest, TakesEverythingAwayWhenItStopsWithinABoundedTime) {
  ReadNode();
  reporter_->SetConditions(Memory(), clock_.Now());
  cluster_.Answer(200, NodeJson(2, "jettison.io/memory-pressure"));
  cluster_.Answer(200, NodeJson(3, "jettison.io/memory-pressure"));
  EXPECT_FALSE(reporter_->IsStopped(clock_.Now()));
  reporter_->Stop(clock_.Now());
  EXPECT_THAT(cluster_.Waiting(), ElementsAre(kTaintCall, kCondition));
  EXPECT_FALSE(reporter_->IsStopped(clock_.Now()));
  EXPECT_TRUE(reporter_->IsStopped(clock_.Now() + NodeReporter::kStopWithin));
  cluster_.Answer(200, NodeJson(4));
  cluster_.Answer(200, NodeJson(5));
  EXPECT_TRUE(reporter_->IsStopped(clock_.Now()));
}

}  // namespace
}  // namespace jettison
