#include <gmock/gmock.h>

#include <random>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::IsEmpty;

// An agent or a containerd that ends, hangs or is not the only one.

TEST_F(LiveCriRuntime, ARestartOfContainerdLosesAndDoublesNothing) {
  ASSERT_TRUE(runtime().List());
  Pod pod = TestPod("u");
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "other";
  ASSERT_TRUE(Start(pod));
  ASSERT_TRUE(Start(pod.uid, "other"));
  bed_->Kill();
  runtime().StopContainer("u", "main", seconds(5));
  EXPECT_EQ(Await<ContainerExited>("u", milliseconds(100)), nullptr) << "its code is requested";
  const auto again = bed_->StartAgain();
  ASSERT_TRUE(again) << again.error().message;
  const auto& exited = Need<ContainerExited>("u");
  EXPECT_EQ(exited.container, "main");
  EXPECT_EQ(exited.exit.exit_code, 0);
  EXPECT_NE(runtime().GroupOf("u", "other"), "");
  ASSERT_TRUE(Start(pod.uid, "main", 1));
  EXPECT_EQ(ProcessesIn(pod).size(), 3U) << "two containers and what holds the sandbox";
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, AFrozenContainerdDelaysNeitherTheSignalNorTheKill) {
  const Pod polite = TestPod("polite");
  const Pod stubborn = TestPod("stubborn", {"ignore-term"});
  ASSERT_TRUE(Start(polite));
  ASSERT_TRUE(Start(stubborn));
  bed_->Freeze();
  const auto before = std::chrono::steady_clock::now();
  runtime().StopContainer("polite", "main", seconds(1));
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_LT(took, milliseconds(20));
  RecordProperty("stop_us", std::to_string(took / std::chrono::microseconds(1)));
  runtime().StopContainer("stubborn", "main", seconds(1));
  runtime().KillContainer("stubborn", "main");
  runtime().KillContainer("polite", "main");
  std::map<std::string, int> codes;
  for (int i = 0; i < 2; ++i) {
    const auto* exited = Await<ContainerExited>("", seconds(2));
    ASSERT_NE(exited, nullptr) << "reported without containerd";
    codes[exited->pod_uid] = exited->exit.exit_code;
  }
  EXPECT_EQ(codes["stubborn"], 137);
  EXPECT_TRUE(codes["polite"] == 0 || codes["polite"] == 137) << "as the kernel reports it";
  runtime().RemovePod("polite");
  runtime().RemovePod("stubborn");
  EXPECT_EQ(Await<PodRemoved>("polite", milliseconds(300)), nullptr);
  EXPECT_THAT(ProcessesIn(polite), IsEmpty()) << "not even the process of the sandbox";
  EXPECT_THAT(ProcessesIn(stubborn), IsEmpty());
  bed_->Thaw();
  ASSERT_NE(Await<PodRemoved>("polite"), nullptr) << Said();
  RemoveAndLookForRemains(stubborn);
}

// An agent that ends while a container is being started, on a real containerd.

class LiveInterruptedStart : public LiveCriRuntime {
 protected:
  // Serves the runtime for this long.
  void Serve(microseconds time) {
    const auto end = steady_clock::now() + time;
    do {
      Settle();
    } while (steady_clock::now() < end);
  }
  // Starts the container and ends the agent at a random moment, around the one at which the runtime
  // has just made the process and would leave a task behind.
  void InterruptStartOf(const Pod& pod) {
    runtime().StartContainer(pod.uid, "main", 0, 500);
    const bool early = random_() % 4 == 0;
    const auto deadline = steady_clock::now() + seconds(10);
    while (!early && ProcessesIn(pod).size() < 2 && steady_clock::now() < deadline) {
      Settle();
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
    const auto listed = runtime().List().value();
    ASSERT_EQ(listed.size(), 1U);
    std::optional<int> attempt = NextAttempt(listed.front());
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
    logged.clear();
  }
  RecordProperty("cut_short", cut_short);
  EXPECT_GT(cut_short, 0) << "no start was interrupted: choose other moments";
  EXPECT_EQ(ContainersInContainerd(), 0);
}

}  // namespace
}  // namespace jettison::cri
