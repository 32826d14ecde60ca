#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {

// What somebody else runs on containerd, not through CRI.
class ForeignTasksBed : public testing::Test {
 protected:
  struct Theirs {
    containers_api::Container container;
    task_api::Process task;
  };

  ForeignTasksBed() {
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

}  // namespace jettison::cri
