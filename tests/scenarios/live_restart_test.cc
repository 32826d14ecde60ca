// What an agent that starts finds: what it has kept, what does not fit, and what an agent before
// has left (tests/testdata/state).

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LiveKeptState : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure(
        "evictionHard: {memory.available: 100Mi}\nevictionPressureTransitionPeriod: 20s\n");
  }
};

TEST_F(LiveKeptState, AnEvictedPodStaysOutAndTheConditionHoldsOverAKill) {
  bed_.StartAgent();
  PutLeak();
  ASSERT_TRUE(IsEvicted("leak"));
  ASSERT_TRUE(IsCleanedUp());
  // What happened is written within a tenth of a second.
  (void)bed_.WaitForLine({"no such line"}, std::chrono::milliseconds(500));
  for (int i = 0; i < 3; ++i) {
    bed_.KillAgent();
    const std::size_t before = bed_.LinesWith("pod started").size();
    bed_.StartAgent();
    ASSERT_TRUE(
        bed_.WaitForLine({"is not started before its back-off is over", "pod=default/leak"}));
    (void)bed_.WaitForLine({"no such line"}, std::chrono::milliseconds(1500));
    EXPECT_THAT(bed_.LinesWith("pod started"), SizeIs(before)) << "it would be started at once";
  }
  EXPECT_THAT(bed_.LinesWith("NodeHasInsufficientMemory"), SizeIs(1))
      << "the condition holds and is not met anew";
  EXPECT_TRUE(bed_.WaitForLine({"NodeHasSufficientMemory"}, std::chrono::seconds(40)))
      << "and ends when its period is over";
  EXPECT_TRUE(bed_.WaitForLine({"pod started", "pod=default/leak"}, std::chrono::seconds(40)));
}

constexpr const char* kThreshold = "evictionHard: {memory.available: 50Mi}\n";

class LiveRestart : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure(kThreshold);
    PutSleeper("a");
    bed_.StartAgent();
    ASSERT_TRUE(HasStarted());
    before_ = bed_.Processes();
    ASSERT_THAT(before_, SizeIs(1));
  }
  // The one record of a pod.
  [[nodiscard]] std::string Record() const {
    const fs::directory_iterator pods(bed_.folder() + "/root/pods");
    return pods->path().string() + "/pod.json";
  }

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
  EXPECT_TRUE(IsReady());
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.Processes(), IsEmpty());
}

TEST_F(LiveRestart, APodInAnotherGroupThanConfiguredIsNotTakenOver) {
  bed_.KillAgent();
  bed_.Configure(std::string(kThreshold) + "cgroupRoot: /other\n");
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine(
      {"pod default/a runs in the cgroup /" + bed_.group() + "/kubepods/besteffort/pod"}));
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
  EXPECT_TRUE(IsReady());
  Program status({JETTISON_BINARY, "status", "--server", bed_.endpoint()}, {});
  EXPECT_TRUE(status.ReadUntil("is to be limited to 80Mi and is limited to 256Mi"));
  bed_.KillAgent();
  bed_.StartAgent({"--stop-pods"});
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "default/big"}));
  EXPECT_TRUE(reads("limit_in_bytes", 80 * kMebibyte, 80 * kMebibyte));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("evicted successfully"), testing::Each(HasSubstr("default/big")));
}

constexpr const char* kBefore = JETTISON_TESTDATA "/state/version-1-process.tar.gz";
// The pods remember where their manifests were.
constexpr const char* kPlace = "/tmp/jettison-state";
constexpr const char* kManifests = "staticPodPath: /tmp/jettison-state/manifests\n";

std::string TextOfFile(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class LiveStateVersion : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    ASSERT_EQ(std::system(fmt::format("tar -C {} -xzf {}", bed_.folder(), Quoted(kBefore)).c_str()),
              0);
    fs::create_directories(kPlace);
  }
  void TearDown() override {
    if (HasFailure() && agent_) ADD_FAILURE() << agent_->output();
    agent_.reset();
    std::error_code ignored;  // another run of this test may have it, too
    fs::remove(kPlace, ignored);
  }
  // The agent sees the folder of the test at the place where the one before had its own.
  void Start(const std::string& kubelet_fields) {
    std::ofstream(bed_.folder() + "/config.yaml") << fmt::format(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        "evictionHard: {{memory.available: 10Mi}}\n{}---\n"
        "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n"
        "root: {}/root\nnodeCgroup: /{}\nnodeName: node\nhttp: {{socket: {}/agent.sock}}\n",
        kubelet_fields, kPlace, bed_.group(), kPlace);
    const std::string run =
        fmt::format("mount --bind {0} {1} && exec {2} run --config {1}/config.yaml --stop-pods",
                    bed_.folder(), kPlace, Quoted(JETTISON_BINARY));
    agent_ = std::make_unique<Program>(
        std::vector<std::string>{"/usr/bin/unshare", "-m", "/bin/sh", "-c", run},
        std::vector<std::string>{});
  }
  [[nodiscard]] fs::path Root() const { return fs::path(bed_.folder()) / "root"; }

  AgentBed bed_;
  std::unique_ptr<Program> agent_;
};

TEST_F(LiveStateVersion, PodsOfAnAgentBeforeItAreTakenOverAndItsStateIsPutAside) {
  Start(kManifests);
  ASSERT_TRUE(agent_->ReadUntil("agent is ready"));
  EXPECT_TRUE(agent_->ReadUntil("Started container main (restart 1)")) << "the pod that ran";
  EXPECT_THAT(agent_->output(), HasSubstr("pod adopted\" pod=default/holder"));
  EXPECT_THAT(agent_->output(), HasSubstr("pod adopted\" pod=default/crasher"));
  int volumes = 0;
  for (const auto& pod : fs::directory_iterator(Root() / "pods")) {
    if (TextOfFile(pod.path() / "volumes/data/file") == "kept\n") ++volumes;
  }
  EXPECT_EQ(volumes, 2);
  EXPECT_THAT(agent_->output(), HasSubstr("root/node-state.damaged"));
  agent_->Signal(SIGTERM);
  EXPECT_EQ(agent_->Wait(), 0);
}

}  // namespace
}  // namespace jettison
