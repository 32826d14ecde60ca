#include "agent/cluster/notify/cluster_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/test_bed/fake_cluster.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ClusterEventsTest : public testing::Test {
 protected:
  void Report(const std::string& object) {
    events_->Report({.object = object,
                     .type = EventType::kWarning,
                     .reason = "Evicted",
                     .message = "m",
                     .annotations = {}},
                    clock_.Now());
  }

  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  kube::FakeCluster cluster_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  std::unique_ptr<ClusterEvents> events_ = std::make_unique<ClusterEvents>(
      ClusterEventDependencies{
          .cluster = cluster_,
          .clock = clock_,
          .log = log_,
          .name_of_pod = [](std::string_view uid) { return uid == "u" ? "team/web" : ""; }},
      "bed");
};

TEST_F(ClusterEventsTest, TheClusterIsToldOfItsPodsAndOfTheNode) {
  Report("u");
  Report("node");
  Report("somebody else's");
  EXPECT_THAT(cluster_.Waiting(), ElementsAre("POST /api/v1/namespaces/team/events"));
  cluster_.Answer(201);
  EXPECT_THAT(cluster_.Waiting(), ElementsAre("POST /api/v1/namespaces/default/events"));
  EXPECT_THAT(cluster_.waiting().front().call.body, HasSubstr(R"("kind":"Node")"));
  cluster_.Answer(201);
  EXPECT_EQ(events_->NextDeadline(), std::nullopt);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(ClusterEventsTest, ASetbackIsSaidOnceAndTriedAgain) {
  Report("u");
  for (int i = 0; i < 3; ++i) {
    cluster_.Answer(503);
    clock_.Set(events_->NextDeadline().value());
    events_->Advance(clock_.Now());
  }
  EXPECT_THAT(cluster_.Waiting(), SizeIs(1));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("evictions are not reported as events")));
  EXPECT_EQ(events_->dropped(), 0U);
}

}  // namespace
}  // namespace jettison
