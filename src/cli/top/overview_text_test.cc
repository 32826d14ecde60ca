#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/top/overview_test_values.h"
#include "cli/top/top.h"

namespace jettison {
namespace {

using overview_test::At;
using overview_test::UnderPressure;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Text(const Overview& overview) {
  return StatusText(overview, 100, false);
}

TEST(StatusText, TellsTheNodeForAGlance) {
  const std::string text = Text(UnderPressure());
  for (const char* part :
       {"edge-7  MemoryPressure, waiting for clean-up\n", "jettison 0.1.0, up 3 h, 1234 passes",
        "MemoryPressure  True    3.0 s  KubeletHasInsufficientMemory",
        "taint node.kubernetes.io/memory-pressure:NoSchedule", "98 MiB", "-40 MiB/s",
        "hard 100Mi  met for 3.0 s", "soft 50%    met for 12 s, acts in 78 s",
        "hard 10%    in 27 s", "PODS  4: 3 running, 1 terminating",
        "default/leaker  evicted, 1 eviction\n",
        "first to be evicted for memory.available: default/web-1", "LAST EVICTIONS",
        "default/leaker  2.0 s ago"}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
}

TEST(StatusText, WhereAllIsWellNothingElseIsSaid) {
  Overview overview = UnderPressure();
  for (auto& condition : overview.conditions) condition.status = false;
  overview.phase = "monitoring";
  overview.taints.clear();
  overview.events.clear();
  overview.pods.clear();
  const std::string text = Text(overview);
  EXPECT_THAT(text, HasSubstr("edge-7  no pressure\n"));
  EXPECT_THAT(text, HasSubstr("PODS  0\n"));
  EXPECT_THAT(text, Not(HasSubstr("taint")));
  EXPECT_THAT(text, Not(HasSubstr("EVICTIONS")));
}

TEST(StatusText, ARefusalIsNoEvictionAndTheRowOfThePodSaysWhyItWaits) {
  Overview overview = UnderPressure(0);
  overview.pods = {overview_test::Refused("shy")};
  overview.events = {overview_test::RefusalOf("shy")};
  EXPECT_THAT(Text(overview), Not(HasSubstr("EVICTIONS")));
  EXPECT_THAT(Text(overview), HasSubstr("\n  default/shy  waiting: refused, MemoryPressure\n"));
  overview.pods[0].refused_until = At(90);
  EXPECT_THAT(Text(overview),
              HasSubstr("refused, MemoryPressure, until 12:01:30 at the earliest\n"));
  overview.pods[0].reason = overview.pods[0].refused_for = "OutOfmemory";
  overview.pods[0].refused_until.reset();
  EXPECT_THAT(Text(overview), HasSubstr("  default/shy  waiting: refused, OutOfmemory\n"));
  overview.pods[0].activity = "starting";
  overview.pods[0].reason = overview.pods[0].refused_for = "";
  overview.pods[0].waiting_reason = "ErrImagePull";
  overview.pods[0].waiting_message = "no such host";
  EXPECT_THAT(Text(overview), HasSubstr("  default/shy  starting: ErrImagePull, no such host\n"));
}

TEST(StatusText, SaysThatTheStateIsNotKeptWhereItShouldBe) {
  Overview overview = UnderPressure();
  overview.state_problem = "root directory /x cannot be written";
  EXPECT_THAT(Text(overview), HasSubstr("\nroot directory /x cannot be written\n"));
}

TEST(StatusText, ALoopThatHangsHeadsEverything) {
  Overview overview = UnderPressure();
  overview.loop_problem = "the agent's main loop last ran 36 s ago";
  EXPECT_TRUE(Text(overview).starts_with("the agent's main loop last ran 36 s ago\n"));
}

TEST(StatusText, NamesThePodsThatCannotBeGuarded) {
  Overview overview = UnderPressure();
  overview.not_guarded = {"foreign pod default/web is left out: no group", "and another"};
  EXPECT_THAT(Text(overview), HasSubstr("\nnot guarded: foreign pod default/web is left out: no "
                                        "group\nnot guarded: and another\n"));
}

TEST(StatusText, BeforeTheFirstPassNothingIsKnown) {
  Overview overview;
  overview.at = At(0);
  overview.started_at = At(-1);
  const std::string text = Text(overview);
  EXPECT_THAT(text, HasSubstr("not looked at yet"));
  EXPECT_THAT(text, HasSubstr("No thresholds"));
}

TEST(PodStateText, TellsTheWayOfAnEvictedPod) {
  OverviewPod pod = overview_test::Running("leaker", 1);
  EXPECT_EQ(PodStateText(pod, At(0)), "running");
  pod.evictions = 1;
  pod.reason = "Evicted";
  pod.activity = "terminating";
  EXPECT_EQ(PodStateText(pod, At(0)), "evicted");
  pod.activity = "waiting";
  pod.comes_back_at = At(10);
  pod.comes_back_after = "MemoryPressure";
  EXPECT_EQ(PodStateText(pod, At(3)), "back in 7.0 s at the earliest, after MemoryPressure");
  pod.comes_back_at.reset();
  EXPECT_EQ(PodStateText(pod, At(10)), "back after MemoryPressure");
  pod.comes_back_after.clear();
  pod.activity = "running";
  EXPECT_EQ(PodStateText(pod, At(12)), "running again");
}

}  // namespace
}  // namespace jettison
