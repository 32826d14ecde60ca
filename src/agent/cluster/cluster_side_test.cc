#include "agent/cluster/cluster_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "agent/cluster/fake_cluster.h"
#include "kernel/files/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Fixture {
  FakeClock clock{Instant(std::chrono::hours(500'000))};
  FakeCluster cluster;
  FakeCgroups groups;
  Log log{LogFormat::kText, clock, [](std::string_view) {}};
  kernel::TemporaryFolder folder;
  std::vector<std::string> given_up;
  ClusterSide side{{.cluster = cluster,
                    .groups = groups,
                    .clock = clock,
                    .log = log,
                    .name_of_pod = [](std::string_view) { return "default/web"; },
                    .group_of_pod = [](const std::string&) { return "kubepods/podu"; },
                    .pids_limit = 1000,
                    .on_given_up = [this](const std::string& uid) { given_up.push_back(uid); }},
                   "bed",
                   folder.path()};

  void Evict(bool soft) {
    side.Evicting({.pod_uid = "u",
                   .grace_period_seconds = 1,
                   .annotations = {{"starved_resource", "memory"}},
                   .disruption_target = true,
                   .soft = soft},
                  EvictOutcome::kEnding, clock.Now());
    clock.Advance(std::chrono::seconds(1));
    side.Advance(clock.Now());
  }
};

TEST(ClusterSide, AHardEvictionIsMarkedAndDeleted) {
  Fixture f;
  f.Evict(false);
  EXPECT_THAT(f.cluster.Waiting(), Contains(HasSubstr("DELETE")));
  EXPECT_THAT(f.cluster.Waiting(), Contains("GET /api/v1/nodes/bed"));
}

TEST(ClusterSide, OfASoftEvictionTheApiServerKnowsSoTheNodeIsTaintedAndNoMore) {
  Fixture f;
  f.Evict(true);
  EXPECT_THAT(f.cluster.Waiting(), Contains("GET /api/v1/nodes/bed"));
  EXPECT_THAT(f.cluster.Waiting(), Not(Contains(HasSubstr("/pods/"))));
  f.Evict(false);
  EXPECT_THAT(f.cluster.Waiting(), Contains(HasSubstr("DELETE"))) << "a hard eviction";
}

TEST(ClusterSide, APodWhoseEvictionIsGivenUpMayStartProcessesAgainAndIsTold) {
  Fixture f;
  ASSERT_TRUE(f.groups.Create("kubepods/podu", {.pids_max = 0}));
  f.Evict(false);
  while (!f.cluster.waiting().empty()) f.cluster.Answer(503);
  EXPECT_THAT(f.given_up, IsEmpty());
  f.clock.Advance(std::chrono::hours(1));
  f.side.Advance(f.clock.Now());
  EXPECT_THAT(f.given_up, ElementsAre("u"));
  EXPECT_EQ(f.groups.LimitsOf("kubepods/podu").pids_max, 1000);
}

}  // namespace
}  // namespace jettison
