// What an agent finds at its start that does not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kThreshold = "evictionHard: {memory.available: 50Mi}\n";

class LiveRestart : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure(kThreshold);
    bed_.Put("a.yaml", AgentBed::Manifest("a", {"sleep", "1000"}));
    bed_.StartAgent();
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
    before_ = bed_.Processes();
    ASSERT_THAT(before_, SizeIs(1));
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  // The one record of a pod.
  [[nodiscard]] std::string Record() const {
    const fs::directory_iterator pods(bed_.folder() + "/root/pods");
    return pods->path().string() + "/pod.json";
  }

  AgentBed bed_;
  std::vector<pid_t> before_;
};

TEST_F(LiveRestart, ADamagedRecordEndsNoPodAndItsManifestMendsIt) {
  bed_.KillAgent();
  const std::string record = Record();
  std::ofstream(record) << "{\"half";
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine({"of an earlier agent cannot be taken over", "default/a"}));
  // The record is written beside the loop.
  EXPECT_TRUE(bed_.WaitForLines({{"is written anew"}, {"pod adopted", "default/a"}}));
  EXPECT_EQ(bed_.Processes(), before_);
  // From here on it is as any other.
  bed_.KillAgent();
  bed_.StartAgent({"--stop-pods"});
  EXPECT_TRUE(bed_.WaitForLine({"pod adopted", "default/a"}));
  EXPECT_TRUE(bed_.WaitForLine({"agent is ready"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.Processes(), IsEmpty());
}

// A link is not followed, so the record of the run behind one cannot be read.
TEST_F(LiveRestart, APodThatCannotBeReadGoesOnAndIsTakenOverWhenItsCreationIsRepeated) {
  bed_.KillAgent();
  std::string run;
  for (const auto& file : fs::recursive_directory_iterator(bed_.folder() + "/root/pods")) {
    if (file.path().string().ends_with("/running")) run = file.path().string();
  }
  ASSERT_FALSE(run.empty());
  fs::rename(run, run + ".away");
  fs::create_symlink("running.away", run);
  bed_.StartAgent();
  ASSERT_TRUE(bed_.WaitForLine({"of an earlier agent cannot be taken over", "default/a"}));
  ASSERT_TRUE(bed_.WaitForLine({"an earlier pod of this UID is in its place"}));
  EXPECT_EQ(bed_.Processes(), before_);
  fs::rename(run + ".away", run);
  ASSERT_TRUE(bed_.WaitForLine({"pod adopted", "default/a"}));
  EXPECT_EQ(bed_.Processes(), before_) << "nothing was ended or started twice";
}

TEST_F(LiveRestart, APodInAnotherGroupThanConfiguredIsNotTakenOver) {
  bed_.KillAgent();
  bed_.Configure(std::string(kThreshold) + "cgroupRoot: /other\n");
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine({"pod default/a (1 in all) runs in the cgroup /" + bed_.group() +
                                "/kubepods, but"}));
  EXPECT_NE(bed_.StopAgent(), 0);
  EXPECT_EQ(bed_.Processes(), before_);
  bed_.Configure(kThreshold);
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine({"pod adopted", "default/a"}));
  EXPECT_EQ(bed_.Processes(), before_);
}

TEST_F(LiveRestart, ASecondAgentInTheSameGroupDoesNotStart) {
  std::stringstream config;
  config << std::ifstream(bed_.folder() + "/config.yaml").rdbuf();
  std::string text = config.str();
  for (const char* own : {"/root\n", "/agent.sock", "/manifests"}) {
    const std::string name(own);
    text.replace(text.find(bed_.folder() + name), bed_.folder().size(), bed_.folder() + "/second");
  }
  const std::string second = bed_.folder() + "/second.yaml";
  std::ofstream(second) << text;
  Program agent({JETTISON_BINARY, "run", "--config", second, "--stop-pods"}, {});
  EXPECT_NE(agent.Wait(), 0);
  EXPECT_THAT(agent.output(),
              HasSubstr("/" + bed_.group() + "/kubepods, belongs to another agent"));
  EXPECT_THAT(agent.output(), HasSubstr(bed_.folder() + "/second/root"));
  EXPECT_EQ(bed_.Processes(), before_);
}

// The kernel does not take a limit below what is in use, so pods are evicted until it fits.
TEST_F(LiveRestart, AReservationThatThePodsExceedEvictsThemUntilItFits) {
  const std::string pods = "/sys/fs/cgroup/memory/" + bed_.group() + "/kubepods/memory.";
  if (!fs::exists(pods + "limit_in_bytes")) GTEST_SKIP() << "needs cgroup v1";
  constexpr std::uint64_t kMebibyte = 1 << 20;
  // Waits until the file has an amount from `least` to `most`.
  const auto reads = [&](const char* file, std::uint64_t least, std::uint64_t most) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < 400 && (bytes < least || bytes > most); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      std::ifstream(pods + file) >> bytes;
    }
    return bytes >= least && bytes <= most;
  };
  bed_.Put("big.yaml",
           AgentBed::Manifest("big", {JETTISON_BINARY, "workload", "hold", "--total", "150"}));
  ASSERT_TRUE(reads("usage_in_bytes", 150 * kMebibyte, 256 * kMebibyte));
  bed_.KillAgent();
  bed_.Configure("evictionHard: {memory.available: 10Mi}\nsystemReserved: {memory: 176Mi}\n");
  bed_.StartAgent({"--dry-run"});
  EXPECT_TRUE(bed_.WaitForLine({"the limits of a group cannot be set", "kubepods"}));
  EXPECT_TRUE(bed_.WaitForLine({"agent is ready"}));
  Program status({JETTISON_BINARY, "status", "--server", bed_.endpoint()}, {});
  EXPECT_TRUE(status.ReadUntil("is to be limited to 80Mi and is limited to 256Mi"));
  bed_.KillAgent();
  bed_.StartAgent({"--stop-pods"});
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "default/big"}));
  EXPECT_TRUE(reads("limit_in_bytes", 80 * kMebibyte, 80 * kMebibyte));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("evicted successfully"), testing::Each(HasSubstr("default/big")));
}

}  // namespace
}  // namespace jettison
