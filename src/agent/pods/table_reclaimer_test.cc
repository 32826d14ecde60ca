#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/evictions/node_actions.h"
#include "agent/pods/testing/wanted_pods.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

using std::chrono::seconds;

// Says that it still removes containers, as long as the test wants.
class SlowRuntime : public FakeRuntime {
 public:
  [[nodiscard]] bool RemovingContainers() const override { return removing; }
  bool removing = false;
};

class TableReclaimerTest : public testing::Test {
 protected:
  FakeClock clock_{Instant(std::chrono::hours(1))};
  SlowRuntime runtime_;
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
  EventLog events_{log_, 10};
  WorkerDependencies dependencies_{runtime_, events_, log_, 1 << 30};
  PodTable pods_{Profile::kStandalone, kComeBackRule, dependencies_};
  TableReclaimer reclaimer_{pods_, runtime_, {}, clock_};
};

TEST_F(TableReclaimerTest, WhereNothingIsBeingRemovedItIsDoneAtOnce) {
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kDone);
  EXPECT_FALSE(reclaimer_.UnderWay());
  EXPECT_FALSE(reclaimer_.NextDeadline());
}

TEST_F(TableReclaimerTest, ItIsUnderWayWhileTheRuntimeRemovesAndNobodyWaitsForThat) {
  runtime_.removing = true;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  reclaimer_.Advance(clock_.Now());
  EXPECT_TRUE(reclaimer_.UnderWay());
  runtime_.removing = false;
  reclaimer_.Advance(clock_.Now());
  EXPECT_FALSE(reclaimer_.UnderWay());
  runtime_.removing = true;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kDone)
      << "a finished reclaim is reported, not repeated";
  reclaimer_.Forget();
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
}

TEST_F(TableReclaimerTest, ThePlaceOfAPodThatIsBeingRemovedIsWaitedForButNotForLong) {
  const auto deliver = [this] {
    for (const RuntimeEvent& event : runtime_.TakeEvents()) pods_.Handle(event, clock_.Now());
  };
  Pod pod;
  pod.name = pod.uid = "full";
  pod.containers.emplace_back().name = "c";
  pods_.SetWanted(WantedPods({pod}), clock_.Now());
  deliver();
  deliver();
  pods_.SetWanted({}, clock_.Now());
  deliver();  // its container has ended
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  clock_.Advance(seconds(9));
  reclaimer_.Advance(clock_.Now());
  EXPECT_TRUE(reclaimer_.UnderWay());
  clock_.Advance(seconds(1));
  reclaimer_.Advance(clock_.Now());
  EXPECT_FALSE(reclaimer_.UnderWay());
  reclaimer_.Forget();
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kDone) << "it may never be gone";
  deliver();
  EXPECT_FALSE(pods_.AnyIsBeingRemoved(clock_.Now()));
}

TEST_F(TableReclaimerTest, ARemovalThatDoesNotEndIsGivenUpAfterAMinute) {
  runtime_.removing = true;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  clock_.Advance(*reclaimer_.NextDeadline() - clock_.Now() - seconds(1));
  reclaimer_.Advance(clock_.Now());
  EXPECT_TRUE(reclaimer_.UnderWay());
  clock_.Advance(seconds(1));
  reclaimer_.Advance(clock_.Now());
  EXPECT_FALSE(reclaimer_.UnderWay());
  const auto given_up = reclaimer_.DeleteDeadContainers();
  ASSERT_FALSE(given_up);
  EXPECT_THAT(given_up.error().message, testing::HasSubstr("still being removed"));
}

}  // namespace
}  // namespace jettison
