// A root whose file system has turned read-only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "http/client/client.h"
#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

class LiveReadOnlyRoot : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure(
        "evictionHard: {memory.available: 100Mi}\nevictionPressureTransitionPeriod: 30s\n");
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  [[nodiscard]] std::string Cue() const { return bed_.folder() + "/leak-now"; }
  // A pod that leaks once the test says so.
  void PutLeak() {
    const std::string leak = Quoted(JETTISON_BINARY) + " workload leak --rate 200 --total 200";
    bed_.Put("leak.yaml",
             AgentBed::Manifest(
                 "leak", {"/bin/sh", "-c",
                          "while [ ! -e " + Cue() + " ]; do sleep 0.05; done; exec " + leak}));
  }
  [[nodiscard]] std::string Get(const std::string& path) const {
    const auto answer = HttpGet({.endpoint = bed_.endpoint()}, path);
    return answer ? answer->body : answer.error().message;
  }

  AgentBed bed_;
};

TEST_F(LiveReadOnlyRoot, TheNodeIsGuardedAndPodsAreStartedOnceItCanBeWritten) {
  bed_.StartAgent();
  PutLeak();
  ASSERT_TRUE(bed_.WaitForLine({"Started container", "object=default/leak"}));
  EXPECT_EQ(bed_.StopAgent(), 0);

  bed_.StartAgentOnReadOnlyRoot();
  ASSERT_TRUE(
      bed_.WaitForLines({{"pod adopted", "pod=default/leak"},
                         {"agent is ready"},
                         {"the state of the node cannot be saved", "Read-only file system"}},
                        seconds(20)));
  EXPECT_THAT(Get("/readyz"), HasSubstr("[-]state failed: the state of the node cannot be saved"));
  EXPECT_THAT(Get("/api/v1/overview"),
              HasSubstr("\"stateProblem\":\"the state of the node cannot be saved"));
  bed_.Put("new.yaml", AgentBed::Manifest("new", {"/bin/sleep", "1000"}));
  ASSERT_TRUE(bed_.WaitForLine({"object=default/new", "Read-only file system"}))
      << "it cannot be made";
  std::ofstream(Cue()) << "now";
  ASSERT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  EXPECT_THAT(bed_.LinesWith("Started container"), SizeIs(1)) << "nothing can be started";
  EXPECT_EQ(bed_.StopAgent(), 0);

  bed_.StartAgent();
  ASSERT_TRUE(bed_.WaitForLine({"agent is ready"}));
  EXPECT_EQ(Get("/readyz"), "ok");
  EXPECT_TRUE(bed_.WaitForLines(
      {{"Started container", "object=default/leak"}, {"Started container", "object=default/new"}},
      seconds(60)));
}

}  // namespace
}  // namespace jettison
