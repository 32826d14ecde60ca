// Files that change under the agent: its configuration, which it reads again on SIGHUP, and
// manifests that are away, empty or faulty for a moment, or at a restart.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mount.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/units/http_url.h"
#include "http/client/client.h"
#include "http/server/listen.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kLow = "evictionHard: {memory.available: 10Mi}\n";
constexpr const char* kFast = "monitoringInterval: 500ms\n";
constexpr const char* kHigh = "evictionHard: {memory.available: 180Mi}\n";

// Whether the agent answers with this part soon: what it tells may be a tenth of a second old.
bool Answers(const AgentBed& bed, const std::string& path, const std::string& part) {
  for (int i = 0; i < 100; ++i) {
    const auto answer = HttpGet({.endpoint = bed.endpoint()}, path);
    if (answer && answer->body.find(part) != std::string::npos) return true;
    ::poll(nullptr, 0, 50);
  }
  return false;
}

class LiveReload : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure(kLow);
    bed_.ConfigureAgent(kFast);
    bed_.Put("holder.yaml",
             AgentBed::Manifest("holder", {JETTISON_BINARY, "workload", "hold", "--total", "100"}));
    fs::create_directory(bed_.folder() + "/conf.d");
    bed_.StartAgent({"--config-dir", bed_.folder() + "/conf.d"});
    ASSERT_TRUE(IsReady());
    ASSERT_TRUE(HasStarted());
  }
  // A drop-in of this text.
  void PutIn(const std::string& text) const {
    std::ofstream(bed_.folder() + "/conf.d/10.yaml")
        << "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        << text;
  }
  [[nodiscard]] bool IsReadAgain(const std::string& changed) {
    return bed_.WaitForLine({"the configuration was read again", "changed=" + changed});
  }
  [[nodiscard]] std::string Configz() const {
    const auto answer = HttpGet({.endpoint = bed_.endpoint()}, "/configz");
    return answer ? answer->body : "";
  }
};

TEST_F(LiveReload, AFaultyFileChangesNothingAndEachFaultIsNamed) {
  bed_.Configure("evictionHard: {memory.available: 180Mi, nodefs.available: lots}\n");
  bed_.ConfigureAgent("logLevel: loud\n");
  PutIn("oomScoreAdj: 5000\n");
  bed_.Reload();
  EXPECT_TRUE(bed_.WaitForLines({{"the agent keeps the previous one", "lots"},
                                 {"the agent keeps the previous one", "10.yaml", "5000"},
                                 {"the agent keeps the previous one", "loud"}}));
  EXPECT_THAT(Configz(), Not(HasSubstr("180Mi")));
  bed_.ReloadWith("");
  EXPECT_TRUE(bed_.WaitForLine({"the agent keeps the previous one", "the file is empty"}));
  bed_.Configure(kLow);
  bed_.ConfigureAgent(std::string(kFast) + "logLevel: debug\n");
  PutIn("evictionHard: {memory.available: 20Mi}\n");
  bed_.Reload();
  EXPECT_TRUE(
      bed_.WaitForLine({"configuration was read again", "eviction thresholds", "logLevel"}));
  EXPECT_TRUE(bed_.WaitForLine({"level=debug"}));
  EXPECT_TRUE(Answers(bed_, "/configz", "20Mi"));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(Evictions(), IsEmpty());
}

TEST_F(LiveReload, AHookThatCameIsTold) {
  bed_.ConfigureAgent(
      fmt::format("hooks:\n- {{name: told, when: [BeforeEviction], exec: [/bin/sh, -c, cat > "
                  "{0}/told; exit 3]}}\n",
                  bed_.folder()));
  bed_.Reload();
  EXPECT_TRUE(IsReadAgain("hooks"));
  bed_.Configure(kHigh);
  bed_.Reload();
  EXPECT_TRUE(bed_.WaitForLine({"hook call failed", "hook=told", "exit status 3"}));
  EXPECT_TRUE(std::filesystem::exists(bed_.folder() + "/told"));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(Evictions(), SizeIs(1));
}

constexpr const char* kMissing = "manifests of running pods are missing or empty";

class LiveManifests : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure("evictionHard: {memory.available: 50Mi}\nfileCheckFrequency: 1s\n");
    bed_.Put("a.yaml", a_);
    PutSleeper("b");
    bed_.StartAgent();
    ASSERT_TRUE(HasStarted());
    ASSERT_TRUE(HasStarted());
    before_ = bed_.Processes();
    ASSERT_THAT(before_, SizeIs(2));
  }
  void TearDown() override {
    umount2(folder_.c_str(), MNT_DETACH);
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  void ExpectNobodyHurt() {
    EXPECT_EQ(bed_.Processes(), before_);
    EXPECT_THAT(bed_.LinesWith("container ended"), IsEmpty());
    EXPECT_THAT(bed_.LinesWith("pod started"), SizeIs(2));
  }
  const std::string folder_ = bed_.folder() + "/manifests";
  const std::string a_ = AgentBed::Manifest("a", {"sleep", "1000"});
  std::vector<pid_t> before_;
};

TEST_F(LiveManifests, AFolderThatIsRenamedAwayAndBackEndsNoPod) {
  fs::rename(folder_, bed_.folder() + "/away");
  EXPECT_TRUE(bed_.WaitForLine({kMissing, "count=2"}));
  EXPECT_TRUE(Answers(bed_, "/readyz", "2 manifests of running pods are missing"));
  fs::rename(bed_.folder() + "/away", folder_);
  EXPECT_TRUE(bed_.WaitForLine({"manifest is back", "b.yaml"}));
  EXPECT_TRUE(Answers(bed_, "/readyz?verbose", "[+]manifests ok"));
  ExpectNobodyHurt();
}

TEST_F(LiveManifests, AFileThatIsTruncatedEndsItsPodOnlyWhenItStaysSo) {
  bed_.Put("a.yaml", "");
  EXPECT_TRUE(bed_.WaitForLine({kMissing, "count=1", "a.yaml"}));
  bed_.Put("a.yaml", a_);
  EXPECT_TRUE(bed_.WaitForLine({"manifest is back", "a.yaml"}));
  ExpectNobodyHurt();
  bed_.Put("a.yaml", "");
  EXPECT_TRUE(bed_.WaitForLine({"manifests stayed missing or empty", "a.yaml"}));
  EXPECT_TRUE(bed_.WaitForLine({"container ended", "default/a"}));
  EXPECT_THAT(bed_.Processes(), SizeIs(1));
}

TEST_F(LiveManifests, AFolderThatIsNotMountedYetAtARestartHarmsNoPod) {
  bed_.KillAgent();
  fs::rename(folder_, bed_.folder() + "/away");
  fs::create_directory(folder_);
  bed_.StartAgent();
  EXPECT_TRUE(IsReady());
  EXPECT_TRUE(bed_.WaitForLine({kMissing, "count=2", "endedAfter=\"120 s\""}));
  ASSERT_EQ(mount((bed_.folder() + "/away").c_str(), folder_.c_str(), nullptr, MS_BIND, nullptr),
            0);
  EXPECT_TRUE(bed_.WaitForLine({"manifest is back", "b.yaml"}));
  ExpectNobodyHurt();
}

}  // namespace
}  // namespace jettison
