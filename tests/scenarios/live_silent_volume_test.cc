// Pods with a volume on a file system that never answers.
#include <gtest/gtest.h>

#include "kernel/files/live_silent_filesystem.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

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
