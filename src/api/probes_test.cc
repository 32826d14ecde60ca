#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/answers.h"
#include "api/test_snapshot.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr LoopTurns kTurning{.last = kTestNow, .waiting_since = kTestNow};

std::string Ready(const Snapshot* snapshot, Instant now = kTestNow) {
  return ProbeAnswer("readyz", ReadyChecks({.last = now, .waiting_since = now}, snapshot, now),
                     /*verbose=*/true)
      .body;
}

TEST(Healthz, FailsWhereTheLoopHasNotTurnedForFiveSeconds) {
  const auto answer = [](seconds later) {
    return ProbeAnswer("healthz", LiveChecks(kTurning, kTestNow + later, kHangs), false);
  };
  EXPECT_EQ(answer(seconds(5)).status, 200);
  EXPECT_EQ(answer(seconds(6)).status, 500);
  EXPECT_THAT(answer(seconds(36)).body, HasSubstr("the agent's main loop last ran 36 s ago, at "));
}

TEST(Livez, HoldsAsLongAsTheLoopTurns) {
  const auto passed = [](const LoopTurns& turns, Instant now) {
    return ProbeAnswer("livez", LiveChecks(turns, now, kWorthRestart), false).status == 200;
  };
  EXPECT_TRUE(passed(kTurning, kTestNow + seconds(30)));
  EXPECT_FALSE(passed(kTurning, kTestNow + seconds(31)));
  EXPECT_TRUE(passed({.last = {}, .waiting_since = kTestNow}, kTestNow + seconds(20)));
  EXPECT_FALSE(passed({.last = {}, .waiting_since = kTestNow}, kTestNow + seconds(40)));
}

TEST(Readyz, NamesEachCheckAsKubernetesDoes) {
  const Snapshot snapshot = TestSnapshot(1);
  EXPECT_EQ(Ready(&snapshot),
            "[+]loop ok\n[+]runtime ok\n[+]pass ok\n[+]figures ok\n[+]manifests ok\n[+]cluster ok\n"
            "[+]state ok\nreadyz check passed\n");
  EXPECT_EQ(ProbeAnswer("readyz", ReadyChecks(kTurning, &snapshot, kTestNow), false).body, "ok");
}

TEST(Readyz, SaysWhatIsMissing) {
  EXPECT_THAT(Ready(nullptr), HasSubstr("[-]runtime failed: the runtime has not answered yet\n"));
  Snapshot snapshot = TestSnapshot(1);
  snapshot.thresholds[0].observation.reset();
  EXPECT_THAT(Ready(&snapshot), HasSubstr("[-]figures failed: these signals have thresholds and "
                                          "cannot be measured: memory.available\n"));
  EXPECT_THAT(Ready(&snapshot, kTestNow + seconds(60)),
              HasSubstr("the last pass was made 63 s ago"));
  snapshot.cluster_error = "list the pods of this node: HTTP 403";
  EXPECT_THAT(Ready(&snapshot), HasSubstr("[-]cluster failed: list the pods of this node"));
  snapshot.state_error = "root directory /x cannot be written";
  EXPECT_THAT(Ready(&snapshot), HasSubstr("[-]state failed: root directory /x cannot be written"));
  snapshot.awaits_runtime = true;
  EXPECT_THAT(Ready(&snapshot),
              HasSubstr("[-]runtime failed: the runtime has not listed its pods"));
  snapshot.passes = 0;
  EXPECT_THAT(Ready(&snapshot), HasSubstr("[-]pass failed: no pass has been made yet\n"));
}

TEST(Readyz, AThresholdOnASignalThatTheNodeDoesNotHaveIsNoFault) {
  Snapshot snapshot = TestSnapshot(1);
  snapshot.thresholds[0].observation.reset();
  snapshot.thresholds[0].has_no_such = true;
  EXPECT_THAT(Ready(&snapshot), HasSubstr("[+]figures ok\n"));
}

}  // namespace
}  // namespace jettison
