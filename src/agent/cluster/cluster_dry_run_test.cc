#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/cluster/cluster_side.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/test_bed/fake_cluster.h"

namespace jettison {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kNodeRead = "GET /api/v1/nodes/bed";
constexpr const char* kHeldGroup = "kubepods/podu";

std::string LeftNode(const std::string& taints, const std::string& conditions) {
  return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"bed","uid":"n-1",)"
         R"("resourceVersion":"1"},"spec":{"taints":[)" +
         taints + R"(]},"status":{"conditions":[)" + conditions + "]}}";
}

class ClusterDryRun : public testing::Test {
 protected:
  void Start() {
    side_ = std::make_unique<ClusterSide>(
        ClusterSideDependencies{.access = {.cluster = cluster_, .clock = clock_, .log = log_},
                                .groups = groups_,
                                .name_of_pod = [](std::string_view) { return "default/web"; },
                                .group_of_pod = [](const std::string&) { return kHeldGroup; },
                                .pids_limit = 500,
                                .on_given_up = [](const std::string&) {},
                                .take_held = [this] { return std::exchange(listed_held_, {}); },
                                .end_pod = [](const EvictionOrder&) { return false; },
                                .dry_run = true},
        "bed");
  }
  void StepBy(Duration time) {
    clock_.Advance(time);
    side_->Advance(clock_.Now());
  }

  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  kube::FakeCluster cluster_;
  FakeCgroups groups_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  std::vector<kube::FoundHeld> listed_held_;  // as the list of pods will show
  std::unique_ptr<ClusterSide> side_;
};

TEST_F(ClusterDryRun, APodThatAnEarlierAgentHeldMayRunAgainAndIsNotDeleted) {
  ASSERT_TRUE(groups_.Create(kHeldGroup, {.pids_max = 0}));
  groups_.FailOn(FakeCgroups::Operation::kCreate, kHeldGroup, {ErrorCode::kUnavailable, "busy"});
  Start();
  side_->Resume({{.namespace_ = "default",
                  .name = "web",
                  .uid = "u",
                  .message = "low on memory",
                  .grace_seconds = 1,
                  .evicted_at = clock_.Wall(),
                  .boot_id = {},
                  .held_group = kHeldGroup,
                  .pids_limit = 1000}});
  listed_held_.push_back(
      {.head = {.namespace_ = "default", .name = "web", .uid = "u", .resource_version = "7"},
       .group = kHeldGroup});
  side_->Advance(clock_.Now());
  EXPECT_THAT(cluster_.Waiting(), ElementsAre(kNodeRead));
  EXPECT_THAT(lines_, Contains(HasSubstr("pod=default/web")));
  EXPECT_THAT(side_->Unfinished(), IsEmpty());
  groups_.ClearFailures();
  EXPECT_EQ(side_->NextDeadline(), clock_.Now() + ClusterSide::kFreeEvery);
  StepBy(ClusterSide::kFreeEvery);
  EXPECT_EQ(groups_.LimitsOf(kHeldGroup).pids_max, 1000);
}

TEST_F(ClusterDryRun, WhatIsLeftOnTheNodeIsRemovedAndNothingIsSet) {
  Start();
  side_->Advance(clock_.Now());
  ASSERT_THAT(cluster_.Waiting(), ElementsAre(kNodeRead));
  cluster_.Answer(200, LeftNode(R"({"key":"jettison.io/memory-pressure","effect":"NoSchedule"},)"
                                R"({"key":"foreign","effect":"NoSchedule"})",
                                R"({"type":"JettisonMemoryPressure","status":"True"})"));
  EXPECT_THAT(cluster_.Waiting(), IsEmpty());
  StepBy(kube::PressureTaints::kLeftoversStay);
  ASSERT_THAT(cluster_.Waiting(),
              ElementsAre("PATCH /api/v1/nodes/bed", "PATCH /api/v1/nodes/bed/status"));
  EXPECT_THAT(cluster_.waiting()[0].call.body, testing::Not(HasSubstr("jettison.io")));
  EXPECT_THAT(cluster_.waiting()[0].call.body, HasSubstr("foreign"));
  EXPECT_THAT(cluster_.waiting()[1].call.body,
              HasSubstr(R"([{"$patch":"delete","type":"JettisonMemoryPressure"}])"));
  cluster_.Answer(200, LeftNode("", ""));
  cluster_.Answer(200, LeftNode("", ""));
  EXPECT_TRUE(side_->Stop(clock_.Now()));
}

TEST_F(ClusterDryRun, WhatIsLeftIsRemovedAtTheEndOfADryRunThatWasShort) {
  Start();
  side_->Advance(clock_.Now());
  cluster_.Answer(200,
                  LeftNode(R"({"key":"jettison.io/memory-pressure","effect":"NoSchedule"})", ""));
  EXPECT_FALSE(side_->Stop(clock_.Now()));
  EXPECT_THAT(cluster_.Waiting(), ElementsAre("PATCH /api/v1/nodes/bed"));
}

}  // namespace
}  // namespace jettison
