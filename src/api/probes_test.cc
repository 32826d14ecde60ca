#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/api.h"
#include "api/test_snapshot.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class Probes : public testing::Test {
 protected:
  HttpResponse Get(const std::string& path, bool verbose = false) {
    HttpRequest request{.method = "GET", .path = path};
    if (verbose) request.query = {{"verbose", ""}};
    return api_.Answer(request);
  }
  std::string Ready(const Snapshot& snapshot) {
    board_.Turned(now_);
    board_.Put(std::make_shared<const Snapshot>(snapshot));
    return Get("/readyz", /*verbose=*/true).body;
  }

  Board board_;
  Instant now_ = kTestNow;
  Api api_{{.board = board_, .now = [this] { return now_; }, .started_at = kTestNow}};
};

TEST_F(Probes, HealthzFailsWhereTheLoopHasNotTurnedForFiveSeconds) {
  board_.Turned(kTestNow);
  now_ = kTestNow + seconds(5);
  EXPECT_EQ(Get("/healthz").status, 200);
  now_ = kTestNow + seconds(6);
  EXPECT_EQ(Get("/healthz").status, 500);
  now_ = kTestNow + seconds(36);
  EXPECT_THAT(Get("/healthz").body, HasSubstr("the agent's main loop last ran 36 s ago, at "));
}

TEST_F(Probes, LivezHoldsAsLongAsTheLoopTurns) {
  const auto status_after = [this](int later) {
    now_ = kTestNow + seconds(later);
    return Get("/livez").status;
  };
  EXPECT_EQ(status_after(20), 200) << "before its first turn it is waited for";
  EXPECT_EQ(status_after(40), 500);
  board_.Turned(kTestNow);
  EXPECT_EQ(status_after(30), 200);
  EXPECT_EQ(status_after(31), 500);
}

TEST_F(Probes, ReadyzNamesEachCheckAsKubernetesDoes) {
  EXPECT_EQ(Ready(TestSnapshot(1)),
            "[+]loop ok\n[+]runtime ok\n[+]pass ok\n[+]figures ok\n[+]manifests ok\n[+]cluster ok\n"
            "[+]state ok\nreadyz check passed\n");
  EXPECT_EQ(Get("/readyz").body, "ok");
}

TEST_F(Probes, ReadyzSaysWhatIsMissing) {
  EXPECT_THAT(Get("/readyz").body,
              HasSubstr("[-]runtime failed: the runtime has not answered yet\n"));
  Snapshot snapshot = TestSnapshot(1);
  snapshot.thresholds[0].observation.reset();
  EXPECT_THAT(Ready(snapshot), HasSubstr("[-]figures failed: these signals have thresholds and "
                                         "cannot be measured: memory.available\n"));
  now_ = kTestNow + seconds(60);
  EXPECT_THAT(Ready(snapshot), HasSubstr("the last pass was made 63 s ago"));
  snapshot.cluster_error = "list the pods of this node: HTTP 403";
  EXPECT_THAT(Ready(snapshot), HasSubstr("[-]cluster failed: list the pods of this node"));
  snapshot.state_error = "root directory /x cannot be written";
  EXPECT_THAT(Ready(snapshot), HasSubstr("[-]state failed: root directory /x cannot be written"));
  snapshot.awaits_runtime = true;
  EXPECT_THAT(Ready(snapshot), HasSubstr("[-]runtime failed: the runtime has not listed its pods"));
  snapshot.passes = 0;
  EXPECT_THAT(Ready(snapshot), HasSubstr("[-]pass failed: no pass has been made yet\n"));
}

TEST_F(Probes, AThresholdOnASignalThatTheNodeDoesNotHaveIsNoFault) {
  Snapshot snapshot = TestSnapshot(1);
  snapshot.thresholds[0].observation.reset();
  snapshot.thresholds[0].has_no_such = true;
  EXPECT_THAT(Ready(snapshot), HasSubstr("[+]figures ok\n"));
}

}  // namespace
}  // namespace jettison
