// An agent that ends while a container is being started, on a real containerd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

class LiveInterruptedStart : public LiveCriRuntime {
 protected:
  // Serves the runtime for this long.
  void Serve(microseconds time) {
    const auto end = steady_clock::now() + time;
    do {
      events_.Settle(runtime());
    } while (steady_clock::now() < end);
  }
  // Starts the container and ends the agent at a random moment, around the one at which the runtime
  // has just made the process and would leave a task behind.
  void InterruptStartOf(const Pod& pod) {
    runtime().StartContainer(pod.uid, "main", 0, 500);
    const bool early = random_() % 4 == 0;
    const auto deadline = steady_clock::now() + seconds(10);
    while (!early && ProcessesIn(pod).size() < 2 && steady_clock::now() < deadline) {
      events_.Settle(runtime());
    }
    Serve(microseconds(random_() % (early ? 60'000 : 30'000)));
    Open();
  }
  // The attempt that is to be started next; nullopt: one runs.
  [[nodiscard]] std::optional<int> NextAttempt(const RuntimePod& pod) {
    int next = 0;
    for (const ContainerRecord& record : pod.containers) {
      if (!record.never_ran && !record.exit) return std::nullopt;
      next = record.attempt + 1;
    }
    return next;
  }

  std::mt19937 random_{11};  // NOLINT(cert-msc51-cpp): the same moments each time
};

TEST_F(LiveInterruptedStart, LeavesNothingInTheWayOfTheNextOneOrOfTheRemoval) {
  constexpr int kRounds = 24;
  ASSERT_TRUE(runtime().List());
  int cut_short = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Pod pod = TestPod("u" + std::to_string(round));
    ASSERT_TRUE(Create(pod));
    InterruptStartOf(pod);
    const auto listed = runtime().List();
    ASSERT_TRUE(listed) << listed.error().message;
    ASSERT_EQ(listed->size(), 1U);
    std::optional<int> attempt = NextAttempt(listed->front());
    if (attempt) ++cut_short;
    // While containerd is still busy with the first one, it may refuse the name. The kubelet
    // repeats the call as well.
    bool started = !attempt;
    for (int tries = 0; attempt && !started && tries < 5; ++tries) {
      runtime().StartContainer(pod.uid, "main", *attempt + tries, 500);
      started = Await<ContainerStarted>(pod.uid, std::chrono::milliseconds(3000)) != nullptr;
    }
    EXPECT_TRUE(started) << "round " << round << ": " << Said();
    runtime().RemovePod(pod.uid);
    ASSERT_NE(Await<PodRemoved>(pod.uid), nullptr) << "round " << round << ": " << Said();
    logged_.clear();
  }
  RecordProperty("cut_short", cut_short);
  EXPECT_GT(cut_short, 0) << "no start was interrupted: choose other moments";
  EXPECT_EQ(ContainersInContainerd(), 0);
}

TEST_F(LiveInterruptedStart, AFrozenContainerdKeepsNoGuardFromThePodsOfBefore) {
  const Pod pod = TestPod("u", {"ignore-term"});
  ASSERT_TRUE(runtime().List());
  ASSERT_TRUE(Start(pod));
  const Pod other = TestPod("v");
  ASSERT_TRUE(Start(other));
  const std::string group(runtime().GroupOf("u", "main"));
  bed_->Freeze();
  runtime_.reset();
  Open();
  EXPECT_FALSE(runtime().List());
  const auto recalled = runtime().Recall();
  ASSERT_EQ(recalled.size(), 2U) << Said();
  EXPECT_EQ(recalled[0].pod, pod);
  EXPECT_EQ(runtime().GroupOf("u", "main"), group);
  runtime().StopContainer("u", "main", seconds(1));
  runtime().KillContainer("u", "main");
  ASSERT_NE(Await<ContainerExited>("u", seconds(2)), nullptr) << "without containerd";
  runtime().RemovePod("u");
  const auto deadline = steady_clock::now() + seconds(5);
  while (!ProcessesIn(pod).empty() && steady_clock::now() < deadline) Serve(microseconds(1000));
  EXPECT_THAT(ProcessesIn(pod), testing::IsEmpty());
  const auto before = steady_clock::now();
  EXPECT_FALSE(runtime().List());
  EXPECT_LT(steady_clock::now() - before, std::chrono::milliseconds(20)) << "it does not wait";
  bed_->Thaw();
  Result<std::vector<RuntimePod>> listed = Fail(ErrorCode::kUnavailable, "not ready");
  for (int i = 0; i < 100 && !listed; ++i) {
    Serve(microseconds(100'000));
    listed = runtime().List();
  }
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().pod, other);
  EXPECT_FALSE(listed->front().containers.at(0).exit);
  ASSERT_NE(Await<PodRemoved>("u"), nullptr) << Said();
  RemoveAndLookForRemains(other);
}

}  // namespace
}  // namespace jettison::cri
