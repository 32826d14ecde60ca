// What runs on containerd without having come through CRI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/pods/testing/foreign_tasks_bed.h"

namespace jettison::cri {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CriForeignTasks : public ForeignTasksBed {};

TEST_F(CriForeignTasks, EachThatRunsIsAPodWithItsGroupAndLayer) {
  Make("default", "web");
  Theirs& paused = Make("moby", "db");
  paused.task.set_status(task_api::PAUSED);
  Make("default", "done").task.set_status(task_api::STOPPED);
  Make("default", "made").task.set_status(task_api::CREATED);
  theirs_["default"]["idle"].container.set_id("idle");
  theirs_["empty"];
  const auto listed = runtime().List();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2U) << testing::PrintToString(bed_.logged);
  const RuntimePod& found = listed->front();
  EXPECT_TRUE(found.foreign);
  EXPECT_EQ(FullName(found.pod), "default/web");
  EXPECT_EQ(FullName(listed->back().pod), "moby/db");
  ASSERT_EQ(found.containers.size(), 1U);
  EXPECT_EQ(found.containers[0].name, "web");
  EXPECT_THAT(runtime().ForeignGroupsOf("web"), ElementsAre("default/web"));
  EXPECT_EQ(runtime().GroupOf("web", "web"), "default/web");
  EXPECT_EQ(runtime().DiskOf(found.pod).containers.at(0).layer, "/layers/web");
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_TRUE(IsSilentOn<PodRemoved>());
}

TEST_F(CriForeignTasks, WhatCriHasMadeIsLeftToCriAndAskedForOnce) {
  (*Make("k8s.io", "a").container.mutable_labels())["io.cri-containerd.kind"] = "container";
  Make("k8s.io", "b");
  Make("k8s.io", "stopped").task.set_status(task_api::STOPPED);
  EXPECT_THAT(ListedUids(), ElementsAre("b"));
  EXPECT_THAT(bed_.calls->TakeCalls(), Contains("GetContainerIn k8s.io a"));
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_THAT(bed_.calls->TakeCalls(),
              AllOf(Contains("ListTasksIn k8s.io"), Each(Not(HasSubstr("GetContainerIn")))));
}

TEST_F(CriForeignTasks, ANamespaceThatCannotBeListedIsSaidOnceAndHidesNoOther) {
  Make("default", "web");
  EXPECT_THAT(ListedUids(), ElementsAre("web"));
  const auto truth = bed_.calls->on_list_tasks_in;
  int failures = 0;
  bed_.calls->on_list_tasks_in =
      [&](const std::string& in_namespace) -> Result<tasks_api::ListTasksResponse> {
    if (in_namespace != "default") return truth(in_namespace);
    return Fail(ErrorCode::kInternal, "failure " + std::to_string(++failures));
  };
  Make("default", "unseen");
  Make("moby", "db");
  EXPECT_NE(bed_.Await<PodFound>("db"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_GT(failures, 1);
  EXPECT_THAT(bed_.logged,
              ElementsAre(AllOf(HasSubstr("namespace default: its tasks cannot be listed"),
                                HasSubstr("failure 1"))));
  bed_.calls->on_list_tasks_in = truth;
  EXPECT_NE(bed_.Await<PodFound>("unseen"), nullptr);
}

TEST_F(CriForeignTasks, ContainersThatCannotBeReadAreSaidOnceAndHideNoOther) {
  for (const char* id : {"a", "b", "web"}) Make("default", id);
  bool broken = true;
  bed_.calls->on_get_container_in =
      [&](const TaskKey& key) -> Result<containers_api::GetContainerResponse> {
    if (broken && key.id != "web") return Fail(ErrorCode::kInternal, "too large: " + key.id);
    return ContainerOf(key);
  };
  EXPECT_THAT(ListedUids(), ElementsAre("web"));
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_THAT(bed_.logged,
              ElementsAre(AllOf(HasSubstr("namespace default: a running container cannot be read"),
                                HasSubstr("too large: a"))));
  broken = false;
  EXPECT_NE(bed_.Await<PodFound>("b"), nullptr);
}

TEST_F(CriForeignTasks, ARuntimeWithoutThisApiIsAskedOnce) {
  Make("default", "web");
  bed_.calls->on_list_namespaces =
      [](const auto&) -> Result<namespaces_api::ListNamespacesResponse> {
    return Fail(ErrorCode::kNotFound, "no such API");
  };
  EXPECT_THAT(ListedUids(), IsEmpty());
  EXPECT_THAT(bed_.calls->TakeCalls(), Contains("ListNamespaces"));
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_THAT(bed_.calls->TakeCalls(),
              AllOf(Contains("ListContainers"), Not(Contains("ListNamespaces"))));
  EXPECT_THAT(bed_.logged, IsEmpty());
}

TEST_F(CriForeignTasks, GroupsThatAreNotItsAloneAreLeftOutAndSaidOnce) {
  bed_.cgroup_prefix = "/node";
  Open();
  Make("default", "in", "/node/in");
  Make("default", "out");
  Make("default", "shared", "/node/everybody");
  Make("default", "node", "/node");
  Make("default", "moved", "/node/moved");
  processes().Add(static_cast<pid_t>(theirs_["default"]["moved"].task.pid()), "0::/node/in\n", "");
  EXPECT_THAT(ListedUids(), ElementsAre("in"));
  (void)bed_.calls->TakeCalls();
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_THAT(bed_.calls->TakeCalls(), Each(Not(HasSubstr("GetContainerIn"))));
  EXPECT_THAT(bed_.logged, testing::UnorderedElementsAre(
                               AllOf(HasSubstr("container out in containerd's namespace default"),
                                     HasSubstr("group /default/out does not lie below the node's")),
                               HasSubstr("group /node/everybody is not named after its container"),
                               HasSubstr("group /node does not lie below the node's"),
                               HasSubstr("group /node/in is not named after its container")));
  theirs_["default"].erase("shared");
  EXPECT_TRUE(IsSilentOn<PodFound>());
  Make("default", "shared", "/node/shared");
  EXPECT_NE(bed_.Await<PodFound>("shared"), nullptr) << "another one, of its own group";
}

TEST_F(CriForeignTasks, WhileTheAgentsOwnGroupCannotBeReadNoContainerIsTakenForAnothers) {
  Make("default", "agent");
  processes().Add(::getpid(), "0::/default/agent/sub\n", "");
  processes().reads_own = false;
  EXPECT_THAT(ListedUids(), IsEmpty());
  EXPECT_TRUE(IsSilentOn<PodFound>());
  processes().reads_own = true;
  Make("default", "other");
  EXPECT_NE(bed_.Await<PodFound>("other"), nullptr);
  EXPECT_THAT(bed_.logged, ElementsAre(HasSubstr("is this agent's own")));
}

}  // namespace
}  // namespace jettison::cri
