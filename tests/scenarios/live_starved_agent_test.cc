// The agent where nothing more is to be had: it evicts, survives and says so.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/scenarios/containerd_agent_test.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class LiveStarvedAgent : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure("evictionHard: {memory.available: 100Mi}\n");
    bed_.ConfigureAgent(
        fmt::format("monitoringInterval: 500ms\n"
                    "hooks:\n"
                    "- {{name: told, exec: [/bin/sh, -c, cat >> {0}/told]}}\n",
                    bed_.folder()));
    PutSleeper("quiet");
    PutLeak("200", {"--gate", Gate()});
    bed_.StartAgent();
    ASSERT_TRUE(HasStarted());
    ASSERT_TRUE(HasStarted());
  }
  [[nodiscard]] std::string Gate() const { return bed_.folder() + "/gate"; }
  void Leak() const { std::ofstream(Gate()) << "now"; }
  [[nodiscard]] bool IsAlive() const { return ::kill(bed_.agent(), 0) == 0; }
};

// It has every thread from the beginning, and needs none more.
TEST_F(LiveStarvedAgent, EvictsWithoutAThreadOrProcessToBeHad) {
  const auto threads = [this] {
    const std::string tasks = fmt::format("/proc/{}/task", bed_.agent());
    return std::distance(std::filesystem::directory_iterator(tasks), {});
  };
  const auto before = threads();
  EXPECT_LE(before, 11) << "ten, and the one for the hook";
  bed_.LeaveNoProcessIds();
  Leak();
  EXPECT_TRUE(IsEvicted("leak"));
  EXPECT_TRUE(bed_.WaitForLine({"hook call failed", "hook=told", "start /bin/sh"}));
  EXPECT_TRUE(IsAlive());
  bed_.GiveProcessIds();
  EXPECT_TRUE(IsCleanedUp());
  EXPECT_EQ(threads(), before);
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(Evictions(), SizeIs(1));
}

TEST_F(LiveStarvedAgent, EvictsWithFewDescriptorsToBeHad) {
  constexpr int kForTheKill = 4;
  bed_.LeaveDescriptors(kForTheKill);
  Leak();
  EXPECT_TRUE(IsEvicted("leak"));
  EXPECT_TRUE(IsAlive());
  bed_.LeaveDescriptors(1000);
  EXPECT_TRUE(IsCleanedUp());
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(Evictions(), SizeIs(1));
}

class LiveStarvedCri : public ContainerdAgentTest {
 protected:
  void PrepareAgent() override {
    PutPod("quiet", "hog, '10'");
    bed_.StartAgent({"--stop-pods"});
    ASSERT_TRUE(HasStarted());
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
};

// gRPC has threads of its own, and starts more when it is busy.
TEST_F(LiveStarvedCri, EvictsWithoutAThreadOrProcessToBeHad) {
  bed_.LeaveNoProcessIds();
  PutPod("leak", "hog, '200', '100'");
  EXPECT_TRUE(IsEvicted("leak"));
  bed_.GiveProcessIds();
  EXPECT_TRUE(IsCleanedUp());
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(Evictions(), SizeIs(1));
}

// An agent that could have none of gRPC's threads talks to the runtime once they can be had.
TEST_F(LiveStarvedCri, TalksToTheRuntimeOnceThereAreThreadsForIt) {
  bed_.KillAgent();
  bed_.StartAgent({"--stop-pods"}, AgentBed::Place::kWithoutProcessIds);
  ASSERT_TRUE(bed_.WaitForLine({"the thread that writes the log cannot be started"}));
  AwaitItsLoop();
  bed_.GiveProcessIds();
  PutPod("late", "hog, '10'");
  EXPECT_TRUE(HasStarted("late"));
  EXPECT_THAT(bed_.LinesWith("no threads can be started for the connection"), Not(IsEmpty()));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

}  // namespace
}  // namespace jettison
