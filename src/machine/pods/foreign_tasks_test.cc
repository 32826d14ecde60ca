// What runs on containerd without having come through CRI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

// What somebody else runs on containerd, not through CRI.
class CriForeignTasks : public testing::Test {
 protected:
  struct Theirs {
    containers_api::Container container;
    task_api::Process task;
  };

  CriForeignTasks() {
    bed_.adopt_foreign = true;
    bed_.relist_period = std::chrono::milliseconds(5);
    Open();
  }
  void Open() {
    bed_.Open();
    FakeCalls& calls = *bed_.calls;
    calls.on_list_namespaces = [this](const auto&) {
      namespaces_api::ListNamespacesResponse response;
      for (const auto& [name, containers] : theirs_) response.add_namespaces()->set_name(name);
      return response;
    };
    calls.on_list_tasks_in = [this](const std::string& in_namespace) {
      tasks_api::ListTasksResponse response;
      for (auto& [id, theirs] : theirs_.at(in_namespace)) {
        if (const auto task = TaskOf(theirs)) *response.add_tasks() = task->process();
      }
      return response;
    };
    calls.on_get_container_in = [this](const TaskKey& key) { return ContainerOf(key); };
    calls.on_get_task = [this](const TaskKey& key) {
      return TaskOf(theirs_.at(key.in_namespace).at(key.id));
    };
  }
  // Somebody else starts a container.
  Theirs& Make(const std::string& in_namespace, const std::string& id, std::string group = "") {
    if (group.empty()) group = "/" + in_namespace + "/" + id;
    Theirs& theirs = theirs_[in_namespace][id];
    theirs.container.set_id(id);
    theirs.container.mutable_spec()->set_value(R"({"linux":{"cgroupsPath":")" + group + R"("}})");
    Start(theirs, group);
    return theirs;
  }
  void Start(Theirs& theirs, const std::string& group) {
    const pid_t pid = next_pid_++;
    theirs.task.set_id(theirs.container.id());
    theirs.task.set_pid(static_cast<std::uint32_t>(pid));
    theirs.task.set_status(task_api::RUNNING);
    theirs.task.set_exit_status(0);
    const std::string of_node = bed_.containerd.OfNode(group + (group == "/node" ? "/" : ""));
    EXPECT_TRUE(bed_.cgroups.Create(of_node, {}));
    EXPECT_TRUE(bed_.cgroups.Join(of_node, pid));
    processes().Add(
        pid, "0::" + group + "\n",
        "1 2 0:1 / / rw - overlay overlay rw,upperdir=/layers/" + theirs.container.id() + "\n");
  }
  [[nodiscard]] Result<containers_api::GetContainerResponse> ContainerOf(const TaskKey& key) {
    if (!theirs_.at(key.in_namespace).contains(key.id)) return Fail(ErrorCode::kNotFound, "none");
    containers_api::GetContainerResponse response;
    *response.mutable_container() = theirs_.at(key.in_namespace).at(key.id).container;
    return response;
  }
  // containerd sees the end of a process as soon as it is over.
  [[nodiscard]] Result<tasks_api::GetResponse> TaskOf(Theirs& theirs) {
    if (theirs.task.pid() == 0) return Fail(ErrorCode::kNotFound, "no task");
    const auto pid = static_cast<pid_t>(theirs.task.pid());
    if (pid > 0 && !processes().Runs(pid) && !slow_to_notice_) {
      theirs.task.set_status(task_api::STOPPED);
      theirs.task.set_exit_status(137);
    }
    tasks_api::GetResponse response;
    *response.mutable_process() = theirs.task;
    return response;
  }
  [[nodiscard]] ContainerRuntime& runtime() { return bed_.runtime(); }
  [[nodiscard]] FakeProcesses& processes() { return bed_.containerd.processes; }
  [[nodiscard]] std::vector<std::string> ListedUids() {
    std::vector<std::string> uids;
    const auto listed = runtime().List();
    for (const RuntimePod& pod : listed.value()) {
      EXPECT_TRUE(pod.foreign);
      uids.push_back(pod.pod.uid);
    }
    return uids;
  }
  template <typename Event>
  [[nodiscard]] bool IsSilentOn() {
    return bed_.Await<Event>("", std::chrono::milliseconds(60)) == nullptr;
  }

  FakeRuntimeBed bed_;
  std::map<std::string, std::map<std::string, Theirs>> theirs_;
  bool slow_to_notice_ = false;
  // Beyond all that kernels give (4,194,304): none is that of this program, which is spared.
  pid_t next_pid_ = 5'000'000;
};

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

TEST_F(CriForeignTasks, ItsEndIsToldAndItsOwnerMayStartItAgain) {
  Theirs& theirs = Make("default", "web");
  EXPECT_THAT(ListedUids(), ElementsAre("web"));
  theirs.task.set_status(task_api::STOPPED);
  theirs.task.set_exit_status(3);
  processes().tells_wait_status = false;
  slow_to_notice_ = true;
  bed_.containerd.EndProcess(static_cast<pid_t>(theirs.task.pid()), 3 << 8);
  const auto* exited = bed_.Await<ContainerExited>("web");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 3) << "containerd knows it";
  ASSERT_NE(bed_.Await<PodRemoved>("web"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodFound>());
  Start(theirs, "/default/web");
  EXPECT_NE(bed_.Await<PodFound>("web"), nullptr);
}

TEST_F(CriForeignTasks, AnEvictedOneIsSignalledAndNobodyIsTold) {
  (*Make("default", "web").container.mutable_labels())["io.containerd.image.config.stop-signal"] =
      "SIGQUIT";
  EXPECT_THAT(ListedUids(), ElementsAre("web"));
  bed_.containerd.ignores_term = true;
  (void)bed_.calls->TakeCalls();
  runtime().StopContainer("web", "web", seconds(1));
  EXPECT_THAT(bed_.containerd.signals, ElementsAre(Pair(5'000'000, SIGQUIT)));
  runtime().KillContainer("web", "web");
  EXPECT_THAT(bed_.cgroups.kills(), ElementsAre("default/web"));
  ASSERT_NE(bed_.Await<ContainerExited>("web"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodRemoved>()) << "whoever ends it removes it";
  runtime().RemovePod("web");
  ASSERT_NE(bed_.Await<PodRemoved>("web"), nullptr);
  EXPECT_TRUE(IsSilentOn<PodFound>());
  EXPECT_THAT(bed_.calls->TakeCalls(),
              Each(testing::Not(
                  AnyOf(HasSubstr("Stop"), HasSubstr("Remove"), HasSubstr("ContainerStatus")))))
      << "CRI takes an ID for the beginning of one of its own";
}

TEST_F(CriForeignTasks, OneThatProcHidesIsFoundAndEndedByItsGroup) {
  Theirs& theirs = Make("default", "web");
  Make("moby", "web");
  processes().Hide(static_cast<pid_t>(theirs.task.pid()));
  EXPECT_THAT(ListedUids(), testing::UnorderedElementsAre("web", "moby--web"));
  EXPECT_THAT(runtime().ForeignGroupsOf("web"), ElementsAre("default/web"));
  EXPECT_TRUE(IsSilentOn<ContainerExited>());
  EXPECT_THAT(bed_.logged, ElementsAre(HasSubstr("own file systems is not measured")));
  runtime().StopContainer("web", "web", seconds(1));
  EXPECT_THAT(bed_.containerd.signals, ElementsAre(Pair(5'000'000, SIGTERM)));
  ASSERT_NE(bed_.Await<ContainerExited>("web"), nullptr);
}

TEST_F(CriForeignTasks, OneThatProcHidesAndThatHasNoGroupOfItsNameIsSaidToBeLeftOut) {
  Theirs& theirs = Make("default", "web", "/default/everybody");
  processes().Hide(static_cast<pid_t>(theirs.task.pid()));
  EXPECT_THAT(ListedUids(), IsEmpty());
  EXPECT_THAT(bed_.logged, ElementsAre(HasSubstr("/proc hides its process")));
  EXPECT_THAT(runtime().NotGuarded(), ElementsAre(HasSubstr("foreign pod default/web")));
}

TEST_F(CriForeignTasks, OneWhoseProcessCannotBeOpenedIsKilledByItsGroup) {
  Make("default", "web");
  processes().has_descriptors = false;
  EXPECT_THAT(ListedUids(), ElementsAre("web"));
  runtime().StopContainer("web", "web", seconds(1));
  runtime().KillContainer("web", "web");
  EXPECT_THAT(bed_.cgroups.kills(), ElementsAre("default/web"));
}

}  // namespace
}  // namespace jettison::cri
