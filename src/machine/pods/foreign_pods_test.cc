// Foreign pods on the same container runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CriForeignPods : public testing::Test {
 protected:
  CriForeignPods() {
    bed_.adopt_foreign = true;
    bed_.relist_period = milliseconds(5);
    bed_.Open();
  }
  [[nodiscard]] ContainerRuntime& runtime() { return bed_.runtime(); }
  [[nodiscard]] FakeContainerd& containerd() { return bed_.containerd; }

  // Somebody else makes a sandbox, and starts containers in it; their IDs.
  std::string MakeSandbox(const std::string& uid, const std::string& parent = "/others") {
    api::RunPodSandboxRequest request;
    auto& config = *request.mutable_config();
    config.mutable_metadata()->set_name("pod-" + uid);
    config.mutable_metadata()->set_namespace_("theirs");
    config.mutable_metadata()->set_uid(uid);
    for (const auto& [name, value] : annotations_) (*config.mutable_annotations())[name] = value;
    config.set_log_directory("/var/log/pods/" + uid);
    config.mutable_linux()->set_cgroup_parent(parent);
    return other_->on_run_pod_sandbox(request)->pod_sandbox_id();
  }
  std::string StartIn(const std::string& sandbox, const std::string& name) {
    api::CreateContainerRequest request;
    request.set_pod_sandbox_id(sandbox);
    request.mutable_config()->mutable_metadata()->set_name(name);
    request.mutable_config()->mutable_image()->set_image("bed.local/tiny:1");
    request.mutable_config()->set_log_path(name + "/0.log");
    api::StartContainerRequest start;
    start.set_container_id(other_->on_create_container(request)->container_id());
    EXPECT_TRUE(other_->on_start_container(start));
    return start.container_id();
  }
  std::string Make(const std::string& uid, const std::string& parent = "/others") {
    return StartIn(MakeSandbox(uid, parent), "main");
  }
  // What List answers.
  [[nodiscard]] std::vector<std::string> ListedUids() {
    std::vector<std::string> uids;
    const auto listed = runtime().List();
    for (const RuntimePod& pod : listed.value()) {
      EXPECT_EQ(pod.foreign, pod.pod.namespace_ == "theirs");
      uids.push_back(pod.pod.uid);
    }
    return uids;
  }
  // Whether the runtime goes on for some listings without telling one of these.
  template <typename Event>
  [[nodiscard]] bool IsSilentOn() {
    return bed_.Await<Event>("", milliseconds(60)) == nullptr;
  }

  FakeRuntimeBed bed_;
  std::unique_ptr<FakeCalls> other_ = bed_.containerd.Connect();
  std::map<std::string, std::string> annotations_;
};

TEST_F(CriForeignPods, ARunningPodIsListedOnceWithItsGroupsAndFiles) {
  const std::string id = Make("f");
  MakeSandbox("empty");
  const auto listed = runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  const RuntimePod& found = listed->front();
  EXPECT_TRUE(found.foreign);
  EXPECT_EQ(FullName(found.pod), "theirs/pod-f");
  EXPECT_EQ(found.pod.uid, "f");
  ASSERT_EQ(found.containers.size(), 1U);
  EXPECT_EQ(found.containers[0].name, "main");
  EXPECT_FALSE(found.containers[0].exit);
  EXPECT_THAT(runtime().ForeignGroupsOf("f"), ElementsAre("others/" + id));
  EXPECT_EQ(runtime().GroupOf("f", "main"), "others/" + id);
  const PodDisk disk = runtime().DiskOf(found.pod);
  ASSERT_EQ(disk.containers.size(), 1U);
  EXPECT_EQ(disk.containers[0].layer, "/layers/" + id);
  EXPECT_EQ(disk.containers[0].logs, "/var/log/pods/f/main");
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_TRUE(containerd().signals.empty());
}

TEST_F(CriForeignPods, ARestartedOrAddedContainerMakesItAnotherPod) {
  const std::string sandbox = MakeSandbox("f");
  StartIn(sandbox, "main");
  EXPECT_THAT(ListedUids(), ElementsAre("f"));
  StartIn(sandbox, "side");
  ASSERT_NE(bed_.Await<PodRemoved>("f"), nullptr);
  const auto* found = bed_.Await<PodFound>("f");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pod.containers.size(), 2U);
  EXPECT_EQ(runtime().ForeignGroupsOf("f").size(), 2U);
  containerd().Exit("side", 0);
  ASSERT_NE(bed_.Await<ContainerExited>("f"), nullptr);
  EXPECT_EQ(runtime().GroupOf("f", "side"), "");
  EXPECT_TRUE(IsSilentOn<PodRemoved>()) << "one still runs";
  StartIn(sandbox, "side");
  ASSERT_NE(bed_.Await<PodRemoved>("f"), nullptr);
  ASSERT_NE(bed_.Await<PodFound>("f"), nullptr);
}

TEST_F(CriForeignPods, ASandboxThatIsNotReadyOrGoneHoldsNone) {
  Make("f");
  Make("g");
  EXPECT_THAT(ListedUids(), ElementsAre("f", "g"));
  auto box = containerd().boxes.begin();
  box->second.ready = false;
  ASSERT_NE(bed_.Await<PodRemoved>("f"), nullptr);
  containerd().boxes.erase(std::next(box));
  ASSERT_NE(bed_.Await<PodRemoved>("g"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodFound>());
}

TEST_F(CriForeignPods, AnEvictedOneIsEndedAndStaysItsOwners) {
  Make("f");
  EXPECT_THAT(ListedUids(), ElementsAre("f"));
  containerd().slow_to_notice = false;
  runtime().StopContainer("f", "main", seconds(1));
  EXPECT_THAT(containerd().signals, ElementsAre(testing::Pair(1000, SIGTERM)));
  ASSERT_NE(bed_.Await<ContainerExited>("f"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodRemoved>()) << "whoever ends it removes it";
  runtime().RemovePod("f");
  ASSERT_NE(bed_.Await<PodRemoved>("f"), nullptr);
  ASSERT_EQ(containerd().boxes.size(), 1U);
  EXPECT_FALSE(containerd().boxes.begin()->second.ready);
  EXPECT_EQ(containerd().runs.size(), 1U);
  EXPECT_TRUE(bed_.cgroups.Exists("others"));
  EXPECT_TRUE(IsSilentOn<PodFound>());
  const auto calls = bed_.calls->TakeCalls();
  EXPECT_THAT(calls, Contains(HasSubstr("StopPodSandbox")));
  EXPECT_THAT(calls, Not(Contains(HasSubstr("Remove"))));
}

TEST_F(CriForeignPods, WhatIgnoresTermIsKilledByItsGroup) {
  const std::string id = Make("f");
  EXPECT_THAT(ListedUids(), ElementsAre("f"));
  containerd().ignores_term = true;
  runtime().StopContainer("f", "main", seconds(1));
  runtime().KillContainer("f", "main");
  EXPECT_THAT(bed_.cgroups.kills(), ElementsAre("others/" + id));
  ASSERT_NE(bed_.Await<ContainerExited>("f"), nullptr);
}

TEST_F(CriForeignPods, ASandboxThatIsSlowToStopKeepsNobodyWaiting) {
  Make("f");
  EXPECT_THAT(ListedUids(), ElementsAre("f"));
  containerd().processes.tells_wait_status = true;
  runtime().KillContainer("f", "main");
  ASSERT_NE(bed_.Await<ContainerExited>("f"), nullptr);
  bed_.calls->Hang();
  runtime().RemovePod("f");
  EXPECT_NE(bed_.Await<PodRemoved>("f"), nullptr);
}

TEST_F(CriForeignPods, AContainerOfWhichTheRuntimeDoesNotTellHidesNoOther) {
  const std::string sandbox = MakeSandbox("f");
  const std::string damaged = StartIn(sandbox, "damaged");
  const std::string whole = StartIn(sandbox, "whole");
  containerd().refused_statuses[damaged] = {ErrorCode::kInternal, "its spec is lost"};
  EXPECT_THAT(ListedUids(), ElementsAre("f"));
  EXPECT_THAT(runtime().ForeignGroupsOf("f"), ElementsAre("others/" + whole));
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_EQ(std::ranges::count_if(bed_.logged,
                                  [](const std::string& line) {
                                    return line.find("its spec is lost") != std::string::npos;
                                  }),
            1);
}

TEST_F(CriForeignPods, APodOfThisAgentTakesItsUidFromOthers) {
  const std::string id = Make("u");
  EXPECT_THAT(ListedUids(), ElementsAre("u"));
  const std::string sandbox = containerd().boxes.begin()->first;
  containerd().boxes[sandbox].config.mutable_metadata()->set_attempt(5);
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  bed_.Rewind();  // it may have been found while the other was started
  const auto* found = bed_.Await<PodFound>("");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pod_uid, sandbox);
  EXPECT_EQ(runtime().GroupOf(sandbox, "main"), "others/" + id);
}

TEST_F(CriForeignPods, LimitsOfItsOwnAreKnownAndThoseOfAllAreNot) {
  const std::string f = Make("f", "/kubepods/burstable/podf");
  const std::string g = Make("g");
  bed_.cgroups.SetMemoryLimit("", 1000);
  bed_.cgroups.SetMemoryLimit("kubepods", 800);
  bed_.cgroups.SetMemoryLimit("others/" + g, 300);
  const auto listed = runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2U);
  for (const RuntimePod& found : *listed) {
    const auto& limits = found.pod.containers[0].resources.limits;
    EXPECT_EQ(limits.contains("memory"), found.pod.uid == "g");
  }
  EXPECT_EQ((*listed)[0].pod.status_qos_class, QosClass::kBurstable);
  EXPECT_THAT(runtime().ForeignGroupsOf("f"), ElementsAre("kubepods/burstable/podf"));
  EXPECT_EQ(runtime().GroupOf("f", "main"), "kubepods/burstable/podf/" + f);
}

}  // namespace
}  // namespace jettison::cri
