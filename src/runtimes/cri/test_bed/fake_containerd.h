#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/processes/fake_processes.h"
#include "ports/fakes/fake_cgroups.h"
#include "rpc/fake_calls.h"

namespace jettison::cri {

// A container runtime as its clients see one, in memory: sandboxes, containers, one image.
class FakeContainerd {
 public:
  struct Box {
    api::PodSandboxConfig config;
    bool ready = true;
  };
  struct Run {
    std::string sandbox;
    api::ContainerConfig config;
    api::ContainerState state = api::CONTAINER_CREATED;
    pid_t pid = 0;
    int exit_code = 0;
    std::string reason;
  };

  explicit FakeContainerd(FakeCgroups& cgroups) : cgroups_(cgroups) {
    cgroups_.OnSignal([this](pid_t pid, int signal) { OnSignal(pid, signal); });
    processes.on_signal = [this](pid_t pid, int signal) {
      signals.emplace_back(pid, signal);
      if (signal != SIGKILL && ignores_term) return;
      OnSignal(pid, signal);
      cgroups_.ProcessExited(pid);
    };
  }

  // A client; the fake must outlive it.
  [[nodiscard]] std::unique_ptr<FakeCalls> Connect() {
    auto calls = std::make_unique<FakeCalls>();
    AnswerLists(*calls);
    AnswerContainers(*calls);
    calls->on_run_pod_sandbox = [this](const auto& request) { return RunSandbox(request); };
    calls->on_stop_pod_sandbox = [this](const auto& request) {
      const auto box = boxes.find(request.pod_sandbox_id());
      if (box != boxes.end()) box->second.ready = false;
      return api::StopPodSandboxResponse();
    };
    calls->on_remove_pod_sandbox =
        [this](const auto& request) -> Result<api::RemovePodSandboxResponse> {
      for (const auto& [id, run] : runs) {
        const bool within = run.sandbox == request.pod_sandbox_id();
        if (within && left_tasks.contains(id)) return Fail(HasTask(id));
      }
      boxes.erase(request.pod_sandbox_id());
      std::erase_if(
          runs, [&](const auto& run) { return run.second.sandbox == request.pod_sandbox_id(); });
      return api::RemovePodSandboxResponse();
    };
    return calls;
  }

  // The container's program ends by itself.
  void Exit(const std::string& container, int code) {
    Run& run = At(container);
    run.state = api::CONTAINER_EXITED;
    run.exit_code = code;
    EndProcess(run.pid, code << 8);
  }
  // A group from the root of the hierarchy, as the node's groups name it.
  [[nodiscard]] std::string OfNode(const std::string& group) const {
    return group.substr(group.starts_with(cgroup_prefix + "/") ? cgroup_prefix.size() + 1 : 1);
  }
  // A process and its group are gone, without a word of the runtime.
  void EndProcess(pid_t pid, int wait_status) {
    processes.End(pid, wait_status);
    cgroups_.ProcessExited(pid);
  }
  [[nodiscard]] Run& At(const std::string& container) {
    for (auto it = runs.rbegin(); it != runs.rend(); ++it) {
      if (it->second.config.metadata().name() == container) return it->second;
    }
    ADD_FAILURE() << "no container " << container;
    return runs["?"];
  }

  std::map<std::string, Box> boxes;
  std::map<std::string, Run> runs;
  FakeProcesses processes;
  std::string cgroup_prefix;                   // the node's own group
  std::vector<std::pair<pid_t, int>> signals;  // those sent straight to processes
  bool network_ready = false;
  bool ignores_term = false;
  bool image_present = true;
  bool slow_to_notice = false;       // an ended container is told as running
  std::deque<Error> sandbox_errors;  // of the next RunPodSandbox calls
  bool failed_sandbox_stays = false;
  // Containers with a task that their start left in CREATED, and that CRI has forgotten.
  std::map<std::string, Error> refused_statuses;  // by the ID of the container
  std::set<std::string> left_tasks;

 private:
  // Of a group; the fake groups forget the process themselves.
  void OnSignal(pid_t pid, int signal) {
    if (!processes.Runs(pid)) return;
    processes.End(pid, signal);
    for (auto& [id, run] : runs) {
      if (run.pid != pid) continue;
      run.state = api::CONTAINER_EXITED;
      run.exit_code = 128 + signal;
      run.reason = "Error";
    }
  }
  [[nodiscard]] static Error HasTask(const std::string& id) {
    return {ErrorCode::kInternal, "cannot delete running task " + id + ": failed precondition"};
  }
  [[nodiscard]] static Error NotFound() { return {ErrorCode::kNotFound, "not found"}; }
  Result<api::RunPodSandboxResponse> RunSandbox(const api::RunPodSandboxRequest& request) {
    for (const auto& [id, box] : boxes) {
      const auto& taken = box.config.metadata();
      if (taken.uid() == request.config().metadata().uid() &&
          taken.attempt() == request.config().metadata().attempt()) {
        return Fail(ErrorCode::kInternal, "the name is reserved for " + id);
      }
    }
    std::optional<Error> error;
    if (!sandbox_errors.empty()) {
      error = sandbox_errors.front();
      sandbox_errors.pop_front();
    }
    const std::string id = "box-" + std::to_string(next_id_++);
    if (!error || failed_sandbox_stays) boxes[id] = {.config = request.config(), .ready = !error};
    if (error) return Fail(*error);
    api::RunPodSandboxResponse response;
    response.set_pod_sandbox_id(id);
    return response;
  }
  Result<api::StartContainerResponse> StartContainer(const std::string& id) {
    const auto it = runs.find(id);
    if (it == runs.end()) return Fail(NotFound());
    Run& run = it->second;
    OpenLog(run);
    run.state = api::CONTAINER_RUNNING;
    run.pid = next_pid_++;
    const std::string group = boxes.at(run.sandbox).config.linux().cgroup_parent() + "/" + id;
    EXPECT_TRUE(cgroups_.Create(OfNode(group), {}));
    EXPECT_TRUE(cgroups_.Join(OfNode(group), run.pid));
    processes.Add(run.pid, "0::" + group + "\n",
                  "1 2 0:1 / / rw - overlay overlay rw,upperdir=/layers/" + id + "\n");
    return api::StartContainerResponse();
  }
  Result<api::ContainerStatusResponse> Status(const std::string& id) {
    const auto it = runs.find(id);
    if (it == runs.end()) return Fail(NotFound());
    const Run& run = it->second;
    api::ContainerStatusResponse response;
    api::ContainerStatus& status = *response.mutable_status();
    status.set_id(id);
    *status.mutable_metadata() = run.config.metadata();
    *status.mutable_image() = run.config.image();
    *status.mutable_labels() = run.config.labels();
    *status.mutable_annotations() = run.config.annotations();
    if (!run.config.log_path().empty()) {
      status.set_log_path(boxes[run.sandbox].config.log_directory() + "/" + run.config.log_path());
    }
    const bool hides = slow_to_notice && run.state == api::CONTAINER_EXITED;
    status.set_state(hides ? api::CONTAINER_RUNNING : run.state);
    status.set_created_at(1'000'000'000);
    if (run.pid != 0) status.set_started_at(2'000'000'000);
    if (run.state == api::CONTAINER_EXITED) {
      status.set_finished_at(3'000'000'000);
      status.set_exit_code(run.exit_code);
      status.set_reason(run.reason);
    } else {
      (*response.mutable_info())["info"] = "{\"pid\":" + std::to_string(run.pid) + "}";
    }
    return response;
  }
  Result<api::ReopenContainerLogResponse> Reopen(const std::string& id) {
    const auto it = runs.find(id);
    if (it == runs.end()) return Fail(NotFound());
    OpenLog(it->second);
    return api::ReopenContainerLogResponse();
  }
  // A new file, empty, where its folder is there.
  void OpenLog(const Run& run) const {
    const std::ofstream file(boxes.at(run.sandbox).config.log_directory() + "/" +
                             run.config.log_path());
  }
  void AnswerLists(FakeCalls& calls) {
    calls.on_version = [](const auto&) { return api::VersionResponse(); };
    calls.on_status = [this](const auto&) {
      api::StatusResponse response;
      auto& network = *response.mutable_status()->add_conditions();
      network.set_type("NetworkReady");
      network.set_status(network_ready);
      return response;
    };
    calls.on_list_pod_sandbox = [this](const auto&) {
      api::ListPodSandboxResponse response;
      for (const auto& [id, box] : boxes) {
        auto& item = *response.add_items();
        item.set_id(id);
        *item.mutable_metadata() = box.config.metadata();
        *item.mutable_labels() = box.config.labels();
        *item.mutable_annotations() = box.config.annotations();
        item.set_state(box.ready ? api::SANDBOX_READY : api::SANDBOX_NOTREADY);
      }
      return response;
    };
    calls.on_list_containers = [this](const auto&) {
      api::ListContainersResponse response;
      for (const auto& [id, run] : runs) {
        auto& item = *response.add_containers();
        item.set_id(id);
        item.set_pod_sandbox_id(run.sandbox);
        *item.mutable_metadata() = run.config.metadata();
        item.set_state(run.state);
      }
      return response;
    };
    calls.on_image_status = [this](const api::ImageStatusRequest& request) {
      api::ImageStatusResponse response;
      if (image_present) response.mutable_image()->set_id("sha256:" + request.image().image());
      return response;
    };
  }
  void AnswerContainers(FakeCalls& calls) {
    calls.on_create_container =
        [this](const api::CreateContainerRequest& request) -> Result<api::CreateContainerResponse> {
      if (!boxes.contains(request.pod_sandbox_id())) return Fail(NotFound());
      const std::string id = "run-" + std::to_string(next_id_++);
      runs[id] = {.sandbox = request.pod_sandbox_id(), .config = request.config()};
      api::CreateContainerResponse response;
      response.set_container_id(id);
      return response;
    };
    calls.on_start_container = [this](const auto& request) {
      return StartContainer(request.container_id());
    };
    calls.on_container_status =
        [this](const auto& request) -> Result<api::ContainerStatusResponse> {
      const auto refused = refused_statuses.find(request.container_id());
      if (refused != refused_statuses.end()) return Fail(refused->second);
      return Status(request.container_id());
    };
    calls.on_stop_container = [](const auto&) { return api::StopContainerResponse(); };
    calls.on_reopen_container_log = [this](const auto& request) {
      return Reopen(request.container_id());
    };
    calls.on_remove_container =
        [this](const auto& request) -> Result<api::RemoveContainerResponse> {
      if (left_tasks.contains(request.container_id())) return Fail(HasTask(request.container_id()));
      runs.erase(request.container_id());
      return api::RemoveContainerResponse();
    };
    calls.on_delete_task = [this](const TaskKey& key) -> Result<tasks_api::DeleteResponse> {
      if (key.in_namespace != "k8s.io" || left_tasks.erase(key.id) == 0) return Fail(NotFound());
      return tasks_api::DeleteResponse();
    };
  }

  FakeCgroups& cgroups_;
  int next_id_ = 1;
  pid_t next_pid_ = 1000;
};

}  // namespace jettison::cri
