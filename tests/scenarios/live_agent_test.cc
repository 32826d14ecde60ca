#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <fstream>
#include <string>

#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

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

class LiveAgent : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure(kMemoryThreshold);
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  [[nodiscard]] bool IsReady() { return bed_.WaitForLine({"agent is ready"}); }
  [[nodiscard]] bool HasStarted(const std::string& pod) {
    return bed_.WaitForLine({"object=default/" + pod + " ", "Started container main"});
  }

  AgentBed bed_;
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
  bed_.Put("quiet.yaml", AgentBed::Manifest("quiet", {"sleep", "1000"}));
  bed_.Put("burstable.yaml",
           AgentBed::Manifest("burstable", {JETTISON_BINARY, "workload", "hold", "--total", "20"},
                              "    resources: {requests: {memory: 40Mi}}\n"));
  bed_.StartAgent();
  ASSERT_TRUE(HasStarted("quiet") || HasStarted("burstable"));
  bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                    "200", "--total", "200"}));
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  EXPECT_TRUE(bed_.WaitForLine({"NodeHasInsufficientMemory"}));
  EXPECT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("pod is evicted successfully"), SizeIs(1));
}

// What the leak takes comes from the page cache first: usage of the node stays at its limit, and
// the kernel has no crossing to tell.
TEST_F(LiveAgent, EvictsALeakThatTakesThePageCacheBeforeTheKernelKills) {
  struct statfs folder {};
  ASSERT_EQ(statfs(bed_.folder().c_str(), &folder), 0);
  if (folder.f_type == TMPFS_MAGIC) GTEST_SKIP() << "files of a tmpfs have no inactive page cache";
  bed_.StartAgent();
  ASSERT_TRUE(IsReady());
  const std::string file = bed_.folder() + "/cached";
  bed_.Put("reader.yaml",
           AgentBed::Manifest(
               "reader", {"sh", "-c",
                          "dd if=/dev/zero of=" + file + " bs=1M count=200 oflag=direct && cat " +
                              file + " > /dev/null && touch " + file + "-all && sleep 1000"}));
  ASSERT_TRUE(bed_.WaitForFile(file + "-all"));
  bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                    "60", "--total", "400"}));
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("OOMKilled"), IsEmpty());
}

TEST_F(LiveAgent, AdoptsItsPodsAfterItWasKilledAndLosesOrDoublesNone) {
  bed_.Put("a.yaml", AgentBed::Manifest("a", {"sleep", "1000"}));
  bed_.Put("b.yaml", AgentBed::Manifest("b", {"sleep", "1000"}));
  bed_.StartAgent();
  ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
  ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
  const std::vector<pid_t> before = bed_.Processes();
  bed_.KillAgent();
  bed_.Remove("b.yaml");
  bed_.Put("c.yaml", AgentBed::Manifest("c", {"sleep", "1000"}));
  bed_.StartAgent({"--stop-pods"});
  EXPECT_TRUE(bed_.WaitForLine({"pod adopted", "default/a"}));
  EXPECT_TRUE(bed_.WaitForLine({"Started container main", "default/c"}));
  EXPECT_THAT(bed_.LinesWith("Started container main (restart"), IsEmpty());
  EXPECT_THAT(before, SizeIs(2));
  EXPECT_THAT(bed_.Processes(), testing::Contains(testing::AnyOfArray(before)));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.Processes(), IsEmpty()) << "--stop-pods ends them all";
}

// Only the loop is before everybody, though a shim begins as the loop's child.
TEST_F(LiveAgent, WhatItStartsHasAnOrdinaryPriority) {
  bed_.Put("a.yaml", AgentBed::Manifest("a", {"sleep", "1000"}));
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

TEST_F(LiveAgent, ADryRunEvictsNobody) {
  bed_.StartAgent({"--dry-run"});
  ASSERT_TRUE(IsReady());
  bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                    "200", "--total", "180"}));
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "leak", "dryRun=true"}));
  EXPECT_THAT(bed_.Processes(), SizeIs(1));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

}  // namespace
}  // namespace jettison
