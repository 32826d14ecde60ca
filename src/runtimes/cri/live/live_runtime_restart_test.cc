// An agent or a containerd that ends, hangs or is not the only one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;

TEST_F(LiveCriRuntime, ARestartedAgentTakesOverItsPods) {
  Pod pod = TestPod("u");
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "short";
  pod.containers[1].args = {"exit", "5", "300"};
  ASSERT_TRUE(Start(pod));
  ASSERT_TRUE(StartContainer(pod, "short"));
  const std::string group(runtime().GroupOf("u", "main"));
  const std::string layer = runtime().DiskOf(pod).containers[0].layer;
  runtime_.reset();
  const auto deadline = std::chrono::steady_clock::now() + seconds(10);
  while (ContainersInContainerd(api::CONTAINER_EXITED) == 0 &&
         std::chrono::steady_clock::now() < deadline) {
    ::usleep(10'000);
  }
  Open();
  const auto listed = runtime().List();
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 1U) << Said();
  EXPECT_EQ((*listed)[0].pod, pod);
  ASSERT_EQ((*listed)[0].containers.size(), 2U);
  for (const ContainerRecord& record : (*listed)[0].containers) {
    EXPECT_EQ(record.exit.has_value(), record.name == "short");
    EXPECT_EQ(record.exit ? record.exit->exit_code : 5, 5);
  }
  EXPECT_EQ(runtime().GroupOf("u", "main"), group);
  EXPECT_EQ(runtime().DiskOf(pod).containers[0].layer, layer);
  EXPECT_TRUE(Create(pod)) << "it exists";
  runtime().StopContainer("u", "main", seconds(5));
  ASSERT_NE(Await<ContainerExited>("u"), nullptr);
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, ARestartOfContainerdLosesAndDoublesNothing) {
  ASSERT_TRUE(runtime().List());
  Pod pod = TestPod("u");
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "other";
  ASSERT_TRUE(Start(pod));
  ASSERT_TRUE(StartContainer(pod, "other"));
  bed_->Kill();
  runtime().StopContainer("u", "main", seconds(5));
  EXPECT_EQ(Await<ContainerExited>("u", milliseconds(100)), nullptr) << "its code is requested";
  const auto again = bed_->StartAgain();
  ASSERT_TRUE(again) << again.error().message;
  const auto* exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->container, "main");
  EXPECT_EQ(exited->exit.exit_code, 0);
  EXPECT_NE(runtime().GroupOf("u", "other"), "");
  ASSERT_TRUE(StartContainer(pod, "main", 1));
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

}  // namespace
}  // namespace jettison::cri
