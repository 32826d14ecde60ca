#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>

#include "ports/file_descriptor.h"
#include "runtimes/cri/cri_runtime.h"
#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

// What is found at the start, and by later listings.

TEST_F(CriRuntime, SandboxesOfOthersAreNeitherListedNorTouched) {
  containerd().boxes["foreign"].config.mutable_metadata()->set_uid("f");
  auto& other_agent = containerd().boxes["other-agent"].config;
  other_agent.mutable_metadata()->set_uid("u");
  (*other_agent.mutable_annotations())[std::string(kPodAnnotation)] = "u";
  (*other_agent.mutable_annotations())[std::string(kRootAnnotation)] = "/elsewhere";
  const auto listed = runtime().List().value();
  EXPECT_THAT(listed, IsEmpty());
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  ASSERT_TRUE(bed_.Remove("u"));
  EXPECT_EQ(containerd().boxes.size(), 2U);
}

TEST_F(CriRuntime, WhatAnInterruptedAgentLeftIsRemovedAtTheStart) {
  ASSERT_TRUE(kernel::MakeFolders(bed_.root() + "/pods/half-made/volumes/v"));
  ASSERT_TRUE(kernel::MakeFolders(bed_.root() + "/logs/default_pod_half-made/c"));
  ASSERT_TRUE(kernel::MakeFolders(bed_.root() + "/pods/.gone-x-1/deep"));
  ASSERT_TRUE(kernel::MakeFolders(bed_.root() + "/logs/.gone-default_pod_x-1/c"));
  bed_.Open();
  const auto listed = runtime().List().value();
  EXPECT_THAT(listed, IsEmpty());
  EXPECT_TRUE(runtime().RemovingContainers()) << "its space will soon be free";
  EXPECT_TRUE(bed_.Becomes([&] {
    return kernel::NamesIn(bed_.root() + "/pods")->empty() &&
           kernel::NamesIn(bed_.root() + "/logs")->empty() && !runtime().RemovingContainers();
  }));
  bed_.ExpectNothingLeft("half-made");
}

TEST_F(CriRuntime, AStatusThatDoesNotComeFailsTheListTwiceBeforeTheContainerIsTakenByItsListing) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  ASSERT_TRUE(bed_.Start(SimplePod("v")));
  bed_.Open();
  containerd().refused_statuses["run-2"] = {ErrorCode::kDeadlineExceeded, "no answer"};
  EXPECT_EQ(runtime().List().error().message, "no answer");
  EXPECT_EQ(runtime().List().error().message, "no answer");
  EXPECT_THAT(bed_.logged, Not(Contains(HasSubstr("no answer")))) << "nothing is judged yet";
  const auto listed = runtime().List().value();
  ASSERT_THAT(listed, SizeIs(2));
  EXPECT_FALSE(listed.front().containers.at(0).exit);
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("no answer")));
}

TEST_F(CriRuntime, OfAContainerWhoseStatusIsRefusedTheListingCounts) {
  (void)bed_.RunTwo();
  ASSERT_TRUE(bed_.Start(SimplePod("v")));
  bed_.Open();
  containerd().Exit("other", 4);
  for (const char* id : {"run-2", "run-3"}) {
    containerd().refused_statuses[id] = {ErrorCode::kInternal, "its record is damaged"};
  }
  const auto listed = runtime().List().value();
  ASSERT_THAT(listed, SizeIs(2));
  const auto& records = listed.front().containers;
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_FALSE(records[0].exit);
  ASSERT_TRUE(records[1].exit);
  EXPECT_EQ(records[1].exit->exit_code, 137);
  EXPECT_THAT(bed_.logged, Contains(AllOf(HasSubstr("main"), HasSubstr("record is damaged"))));
  EXPECT_THAT(containerd().runs, SizeIs(3)) << "nothing of it is ended";
  runtime().KillContainer("u", "main");
  EXPECT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  ASSERT_TRUE(bed_.Remove("u"));
  ASSERT_TRUE(bed_.Remove("v"));
  bed_.ExpectNothingLeft("u");
}

TEST_F(CriRuntime, AContainerWhoseStateTheRuntimeDoesNotKnowGoesOnWhileItsProcessRuns) {
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  bed_.Open();
  containerd().At("main").state = api::CONTAINER_UNKNOWN;
  const auto listed = runtime().List().value();
  ASSERT_THAT(listed, SizeIs(1));
  ASSERT_THAT(listed.front().containers, SizeIs(1));
  EXPECT_FALSE(listed.front().containers[0].exit);
  EXPECT_THAT(containerd().runs, SizeIs(1)) << "it is not removed";
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("it continues")));
  runtime().KillContainer("u", "main");
  EXPECT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  bed_.TakeDown("u");
}

TEST_F(CriRuntime, ALostSandboxEndsItsContainersAndIsMadeAnew) {
  ASSERT_TRUE(runtime().List());
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  containerd().boxes.begin()->second.ready = false;
  bed_.calls->on_create_container = [](const auto&) -> Result<api::CreateContainerResponse> {
    return Fail(ErrorCode::kInternal, "the sandbox is not running");
  };
  // Any failure causes a listing.
  Pod other = SimplePod("v");
  ASSERT_TRUE(bed_.Create(other));
  runtime().StartContainer("v", "main", 0, 0);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  auto calls = containerd().Connect();
  bed_.calls->on_create_container = calls->on_create_container;
  ASSERT_TRUE(bed_.Start("u", "main", 1));
  const auto& box = containerd().boxes.at(containerd().At("main").sandbox);
  EXPECT_EQ(box.config.metadata().attempt(), 1U);
  EXPECT_EQ(containerd().boxes.size(), 2U) << "the old one is gone";
}

TEST_F(CriRuntime, ASandboxThatASingleListingLacksIsNotLost) {
  bed_.relist_period = milliseconds(5);
  bed_.Open();
  ASSERT_TRUE(runtime().List());
  ASSERT_TRUE(bed_.Start(SimplePod("u")));
  const auto boxes = std::exchange(containerd().boxes, {});
  bed_.calls->HoldBack("ListContainers");
  EXPECT_EQ(bed_.Await<ContainerExited>("u", milliseconds(50)), nullptr);
  containerd().boxes = boxes;
  bed_.calls->LetGo();
  EXPECT_EQ(bed_.Await<ContainerExited>("u", milliseconds(100)), nullptr);
  EXPECT_TRUE(containerd().processes.Runs(1000));
}

TEST_F(CriRuntime, APodOfHostProcessesKeepsTheAgentFromStartingAndGoesOn) {
  bed_.Close();
  const std::string pod = bed_.root() + "/pods/p";
  ASSERT_TRUE(kernel::MakeFolders(pod + "/volumes/v"));
  ASSERT_TRUE(kernel::WriteFile(pod + "/volumes/v/data", "dear"));
  ASSERT_TRUE(kernel::WriteFile(pod + "/pod.json", "{}"));
  ASSERT_TRUE(bed_.cgroups.Create("kubepods/burstable/podp", {}));
  ASSERT_TRUE(bed_.cgroups.Join("kubepods/burstable/podp", 1000));
  const auto opened = OpenCriRuntime(bed_.Options(), containerd().Connect(), bed_.cgroups,
                                     bed_.cgroups, bed_.clock);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("created with `runtime: process`"));
  EXPECT_THAT(bed_.cgroups.signals(), IsEmpty());
  EXPECT_EQ(*kernel::ReadFile(pod + "/volumes/v/data"), "dear");
}

// The listings do here what the kubelet's container garbage collection does with sandboxes.

class CriRuntimeCollection : public CriRuntime {
 protected:
  void SetUp() override {
    bed_.relist_period = milliseconds(10);
    bed_.Open();
    ASSERT_TRUE(runtime().List());
    ASSERT_TRUE(bed_.Start(SimplePod("u")));
    own_ = boxes().begin()->first;
  }
  // A dead sandbox like the one that the pod "u" has.
  api::PodSandboxConfig& AddDead(const std::string& id) {
    FakeContainerd::Box& box = boxes()[id];
    box = {.config = boxes().at(own_).config, .ready = false};
    return box.config;
  }
  // The same for a pod that does not exist any more.
  void AddDeadOfGone(const std::string& id) {
    api::PodSandboxConfig& config = AddDead(id);
    config.mutable_metadata()->set_uid("x");
    (*config.mutable_annotations())[std::string(kPodAnnotation)] = "x";
    bed_.known["x"] = SimplePod("x");
  }
  std::map<std::string, FakeContainerd::Box>& boxes() { return bed_.containerd.boxes; }

  std::string own_;
};

TEST_F(CriRuntimeCollection, DeadSandboxesGoWithTheirFilesBesideTheOneThatAPodHas) {
  AddDead("newer").mutable_metadata()->set_attempt(7);
  const std::string logs = bed_.root() + "/logs/default_pod-x_x";
  const std::string files = bed_.root() + "/pods/x";
  ASSERT_TRUE(kernel::MakeFolders(logs + "/main"));
  ASSERT_TRUE(kernel::MakeFolders(files));
  AddDeadOfGone("of-a-gone-pod");
  EXPECT_TRUE(bed_.Becomes(
      [&] { return boxes().size() == 1 && !kernel::Exists(logs) && !kernel::Exists(files); }));
  EXPECT_THAT(boxes(), ElementsAre(Pair(own_, _)));
}

TEST_F(CriRuntimeCollection, TheNewestSandboxOfAPodStaysThoughItIsDead) {
  bed_.containerd.Exit("main", 0);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  boxes().at(own_).ready = false;
  AddDead("older").mutable_metadata()->set_attempt(7);
  EXPECT_TRUE(bed_.Becomes([this] { return boxes().size() == 1; }));
  EXPECT_THAT(boxes(), ElementsAre(Pair(own_, _)));
}

TEST_F(CriRuntimeCollection, DeadSandboxesOfOthersStay) {
  (*AddDead("another-agents").mutable_annotations())[std::string(kRootAnnotation)] = "/elsewhere";
  AddDead("somebodys").clear_annotations();
  AddDeadOfGone("own-remains");
  EXPECT_TRUE(bed_.Becomes([this] { return !boxes().contains("own-remains"); }));
  EXPECT_TRUE(boxes().contains("another-agents"));
  EXPECT_TRUE(boxes().contains("somebodys"));
}

}  // namespace
}  // namespace jettison::cri
