// The program with pods from manifests, a node whose memory runs out, and a kill.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kMemoryThreshold = "evictionHard: {memory.available: 100Mi}\n";

int NiceOf(pid_t pid) {
  return getpriority(PRIO_PROCESS, static_cast<id_t>(pid));
}

// Which of the two it is depends on the kernel, and on the group that the test runs in.
bool IsBeforeOthers(pid_t pid) {
  const int policy = sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK;
  return policy == SCHED_FIFO || (policy == SCHED_OTHER && NiceOf(pid) == -20);
}

bool IsOrdinary(pid_t pid) {
  return sched_getscheduler(pid) == SCHED_OTHER && NiceOf(pid) == 0;
}

class LiveAgent : public AgentTest {
 protected:
  void Prepare() override { bed_.Configure(kMemoryThreshold); }
};

TEST_F(LiveAgent, RunsPodsFromManifestsRestartsThemAndEndsThemWhenTheFileGoes) {
  bed_.StartAgent();
  ASSERT_TRUE(IsReady());
  bed_.Put("a.yaml", AgentBed::Manifest("web", {"sh", "-c", "exit 3"}));
  EXPECT_TRUE(bed_.WaitForLine({"Started container main"}, std::chrono::seconds(5)));
  EXPECT_TRUE(bed_.WaitForLine({"container ended", "exitCode=3"}));
  EXPECT_TRUE(bed_.WaitForLine({"Started container main (restart 1)"}));
  EXPECT_TRUE(bed_.WaitForLine({"reason=BackOff"}));
  bed_.Put("a.yaml", AgentBed::Manifest("web", {"sleep", "1000"}));
  EXPECT_TRUE(HasStarted("web"));
  bed_.Put("b.yaml", "kind: Pod\nmetadata: {name: Bad}\n");
  EXPECT_TRUE(bed_.WaitForLine({"manifest is not valid", "b.yaml", "field=metadata.name"}));
  bed_.Remove("a.yaml");
  EXPECT_TRUE(bed_.WaitForLine({"container ended", "default/web"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

TEST_F(LiveAgent, EvictsTheLeakingBestEffortPodAndNobodyElse) {
  PutSleeper("quiet");
  bed_.Put("burstable.yaml",
           AgentBed::Manifest("burstable", {JETTISON_BINARY, "workload", "hold", "--total", "20"},
                              "    resources: {requests: {memory: 40Mi}}\n"));
  bed_.StartAgent();
  ASSERT_TRUE(HasStarted("quiet") || HasStarted("burstable"));
  PutLeak();
  EXPECT_TRUE(IsEvicted("leak"));
  EXPECT_TRUE(bed_.WaitForLine({"NodeHasInsufficientMemory"}));
  EXPECT_TRUE(IsCleanedUp());
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(Evictions(), SizeIs(1));
}

TEST_F(LiveAgent, AdoptsItsPodsAfterItWasKilledAndLosesOrDoublesNone) {
  PutSleeper("a");
  PutSleeper("b");
  bed_.StartAgent();
  ASSERT_TRUE(HasStarted());
  ASSERT_TRUE(HasStarted());
  const std::vector<pid_t> before = bed_.Processes();
  bed_.KillAgent();
  bed_.Remove("b.yaml");
  PutSleeper("c");
  bed_.StartAgent({"--stop-pods"});
  EXPECT_TRUE(bed_.WaitForLine({"pod adopted", "default/a"}));
  EXPECT_TRUE(HasStarted("c"));
  EXPECT_THAT(bed_.LinesWith("Started container main (restart"), IsEmpty());
  EXPECT_THAT(before, SizeIs(2));
  EXPECT_THAT(bed_.Processes(), testing::Contains(testing::AnyOfArray(before)));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.Processes(), IsEmpty()) << "--stop-pods ends them all";
}

// Only the loop is before everybody, though a shim begins as the loop's child.
TEST_F(LiveAgent, WhatItStartsHasAnOrdinaryPriority) {
  PutSleeper("a");
  bed_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(HasStarted("a"));
  EXPECT_TRUE(IsBeforeOthers(bed_.agent()));
  const std::vector<pid_t> pods = bed_.Processes();
  ASSERT_THAT(pods, SizeIs(1));
  EXPECT_TRUE(IsOrdinary(pods[0]));
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(pods[0]) + "/stat"), line);
  const pid_t shim = std::stoi(line.substr(line.rfind(')') + 4));
  EXPECT_TRUE(IsOrdinary(shim));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

constexpr std::int64_t kMovingMi = std::int64_t{1} << 20;
constexpr std::int64_t kMovingThreshold = 200;  // MiB
// MiB below the threshold at the signal. On a busy machine it is some 100, of which the cache takes
// most from one look to the next; looks a second apart would leave nothing.
constexpr std::int64_t kMovingMost = 180;

// What the leak takes comes from the page cache first: usage of the node stays at its limit, and
// the kernel has no crossing to tell. The second reading makes the pages active, at several GiB/s,
// so they count as used; usage does not change then. A file of holes is read at the speed of
// memory.
constexpr const char* kMove =
    "while cat {0} && cat {0}; do dd if={0} iflag=nocache count=0; done >/dev/null 2>&1";

// The kubelet's message: "available: 102124Ki. ".
std::int64_t AvailableIn(const std::string& line) {
  const std::string before = "available: ";
  const auto at = line.find(before);
  return at == std::string::npos ? 0 : std::stoll(line.substr(at + before.size())) * 1024;
}

class LiveMovingCache : public AgentTest {
 protected:
  LiveMovingCache() : AgentTest(1024 * kMovingMi) {}
  void Prepare() override {
    bed_.Configure(fmt::format(
        "evictionHard: {{memory.available: {}Mi}}\nevictionPressureTransitionPeriod: 1s\n",
        kMovingThreshold));
    bed_.ConfigureAgent("evictionBackoff: {initial: 1s, max: 1s}\nmonitoringInterval: 1s\n");
  }
};

TEST_F(LiveMovingCache, ALeakBesideItIsEvictedInTimeAndAlone) {
  struct statfs folder {};
  ASSERT_EQ(statfs(bed_.folder().c_str(), &folder), 0);
  if (folder.f_type == TMPFS_MAGIC) GTEST_SKIP() << "files of a tmpfs have no inactive page cache";
  const std::string file = bed_.folder() + "/moving";
  std::ofstream(file).close();
  std::filesystem::resize_file(file, 400 * kMovingMi);
  PutSleeper("quiet");
  bed_.Put("reader.yaml", AgentBed::Manifest("reader", {"sh", "-c", fmt::format(kMove, file)},
                                             "    resources: {requests: {memory: 500Mi}}\n"));
  bed_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(bed_.WaitForLines(
      {{"Started container main", "default/quiet"}, {"Started container main", "default/reader"}}));
  PutLeak("1000");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(bed_.WaitForLine({"pod is evicted successfully"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  const auto evictions = Evictions();
  EXPECT_THAT(evictions, Each(HasSubstr("pod=default/leak ")));
  ASSERT_THAT(evictions, SizeIs(3));
  std::vector<std::int64_t> available;
  for (const std::string& line : evictions) available.push_back(AvailableIn(line));
  std::ranges::sort(available);
  EXPECT_GE(available[1], (kMovingThreshold - kMovingMost) * kMovingMi);
}

}  // namespace
}  // namespace jettison
