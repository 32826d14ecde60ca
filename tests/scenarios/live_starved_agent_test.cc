// The agent where nothing more is to be had: it evicts, survives and says so.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "runtimes/cri/test_bed/containerd_remains.h"
#include "runtimes/cri/test_bed/live_containerd.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class LiveStarvedAgent : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure("evictionHard: {memory.available: 100Mi}\n");
    bed_.ConfigureAgent(
        fmt::format("monitoringInterval: 500ms\n"
                    "hooks:\n"
                    "- {{name: told, exec: [/bin/sh, -c, cat >> {0}/told]}}\n",
                    bed_.folder()));
    bed_.Put("quiet.yaml", AgentBed::Manifest("quiet", {"sleep", "1000"}));
    bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                      "200", "--total", "200", "--gate", Gate()}));
    bed_.StartAgent();
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  [[nodiscard]] std::string Gate() const { return bed_.folder() + "/gate"; }
  void Leak() const { std::ofstream(Gate()) << "now"; }
  [[nodiscard]] bool IsAlive() const { return ::kill(bed_.agent(), 0) == 0; }

  AgentBed bed_;
};

TEST_F(LiveStarvedAgent, EvictsWithoutAThreadOrProcessToBeHad) {
  bed_.LeaveNoProcessIds();
  Leak();
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  EXPECT_TRUE(bed_.WaitForLine({"hook call failed", "hook=told", "start /bin/sh"}));
  EXPECT_TRUE(IsAlive());
  bed_.GiveProcessIds();
  EXPECT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("pod is evicted successfully"), SizeIs(1));
}

TEST_F(LiveStarvedAgent, EvictsWithFewDescriptorsToBeHad) {
  constexpr int kForTheKill = 4;
  bed_.LeaveDescriptors(kForTheKill);
  Leak();
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  EXPECT_TRUE(IsAlive());
  bed_.LeaveDescriptors(1000);
  EXPECT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("pod is evicted successfully"), SizeIs(1));
}

class LiveStarvedCri : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto obstacle = cri::LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    auto containerd = cri::LiveContainerd::Start();
    ASSERT_TRUE(containerd) << containerd.error().message;
    containerd_ = std::move(*containerd);
    bed_.Configure("containerRuntimeEndpoint: " + containerd_->endpoint() +
                   "\nevictionHard: {memory.available: 100Mi}\n");
    bed_.ConfigureAgent("runtime: cri\nmonitoringInterval: 500ms\n");
    bed_.Put("quiet.yaml", Manifest("quiet", "hog, '10'"));
    bed_.StartAgent({"--stop-pods"});
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
  }
  void TearDown() override {
    if (HasFailure()) {
      for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
    }
    bed_.KillAgent();
    if (!containerd_) return;
    const std::string folder = containerd_->folder();
    containerd_.reset();
    EXPECT_THAT(cri::ProcessesOf(folder), IsEmpty());
  }
  // The agent has done what it does at first, and waits for events.
  void AwaitItsLoop() const {
    const std::string waits = std::to_string(SYS_epoll_wait) + " ";
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::string call;
    while (!call.starts_with(waits) && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::getline(std::ifstream(fmt::format("/proc/{}/syscall", bed_.agent())), call);
    }
  }
  static std::string Manifest(const std::string& name, const std::string& arguments) {
    return fmt::format(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\nspec:\n"
        "  terminationGracePeriodSeconds: 2\n  containers:\n  - name: main\n    image: {}\n"
        "    imagePullPolicy: Never\n    args: [{}]\n",
        name, cri::LiveContainerd::kTestImage, arguments);
  }

  AgentBed bed_;
  std::unique_ptr<cri::LiveContainerd> containerd_;
};

// gRPC has threads of its own, and starts more when it is busy.
TEST_F(LiveStarvedCri, EvictsWithoutAThreadOrProcessToBeHad) {
  bed_.LeaveNoProcessIds();
  bed_.Put("leak.yaml", Manifest("leak", "hog, '200', '100'"));
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  bed_.GiveProcessIds();
  EXPECT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("pod is evicted successfully"), SizeIs(1));
}

// An agent that could have none of gRPC's threads talks to the runtime once they can be had.
TEST_F(LiveStarvedCri, TalksToTheRuntimeOnceThereAreThreadsForIt) {
  bed_.KillAgent();
  bed_.StartAgentWithoutProcessIds({"--stop-pods"});
  ASSERT_TRUE(bed_.WaitForLine({"the thread that writes the log cannot be started"}));
  AwaitItsLoop();
  bed_.GiveProcessIds();
  bed_.Put("late.yaml", Manifest("late", "hog, '10'"));
  EXPECT_TRUE(bed_.WaitForLine({"default/late", "Started container main"}));
  EXPECT_THAT(bed_.LinesWith("no threads can be started for the connection"), Not(IsEmpty()));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

// Whatever it may have to do, no thread is started for it after the first pass.
TEST_F(LiveStarvedAgent, HasEveryThreadFromTheBeginning) {
  const auto threads = [this] {
    const std::string tasks = fmt::format("/proc/{}/task", bed_.agent());
    return std::distance(std::filesystem::directory_iterator(tasks), {});
  };
  const auto before = threads();
  EXPECT_LE(before, 11) << "ten, and the one for the hook";
  Leak();
  EXPECT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  EXPECT_EQ(threads(), before);
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("a thread cannot be started"), IsEmpty());
}

}  // namespace
}  // namespace jettison
