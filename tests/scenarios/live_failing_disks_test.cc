// Disks that fail: a root that has turned read-only, a volume that never answers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "http/client/client.h"
#include "kernel/files/live_silent_filesystem.h"
#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

class LiveReadOnlyRoot : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure(
        "evictionHard: {memory.available: 100Mi}\nevictionPressureTransitionPeriod: 30s\n");
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
};

TEST_F(LiveReadOnlyRoot, TheNodeIsGuardedAndPodsAreStartedOnceItCanBeWritten) {
  bed_.StartAgent();
  PutLeak();
  ASSERT_TRUE(bed_.WaitForLine({"Started container", "object=default/leak"}));
  EXPECT_EQ(bed_.StopAgent(), 0);

  bed_.StartAgent({}, AgentBed::Place::kReadOnlyRoot);
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
  ASSERT_TRUE(IsEvicted("leak"));
  EXPECT_THAT(bed_.LinesWith("Started container"), SizeIs(1)) << "nothing can be started";
  EXPECT_EQ(bed_.StopAgent(), 0);

  bed_.StartAgent();
  ASSERT_TRUE(IsReady());
  EXPECT_EQ(Get("/readyz"), "ok");
  EXPECT_TRUE(bed_.WaitForLines(
      {{"Started container", "object=default/leak"}, {"Started container", "object=default/new"}},
      seconds(60)));
}

class LiveSilentVolume : public LiveSilentFilesystem {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    LiveSilentFilesystem::SetUp();
  }
  void TearDown() override {
    LiveSilentFilesystem::TearDown();
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  // A pod that mounts the silent file system, or a folder in it, from the host.
  [[nodiscard]] std::string OnTheSilent(const std::string& name, const std::string& type) const {
    return AgentBed::Manifest(name, {"sleep", "1000"},
                              "    volumeMounts: [{name: data, mountPath: /mnt}]\n") +
           fmt::format("  volumes:\n  - name: data\n    hostPath: {{path: {}/inner{}}}\n", folder_,
                       type.empty() ? "" : ", type: " + type);
  }

  AgentBed bed_;
};

TEST_F(LiveSilentVolume, KeepsItsPodAndNobodyElse) {
  bed_.Put("typed.yaml", OnTheSilent("typed", "Directory"));
  bed_.Put("untyped.yaml", OnTheSilent("untyped", ""));
  bed_.StartAgent();
  bed_.Put("other.yaml", AgentBed::Manifest("other", {"sleep", "1000"}));
  EXPECT_TRUE(bed_.WaitForLines({{"Started container main", "default/other"},
                                 {"default/typed", "volume data", folder_ + "/inner"},
                                 {"default/untyped", "volume data", folder_ + "/inner"}}));
  bed_.Remove("typed.yaml");
  EXPECT_TRUE(ReturnsWhileItIsSilent([this] { EXPECT_EQ(bed_.StopAgent(), 0); }));
}

}  // namespace
}  // namespace jettison
