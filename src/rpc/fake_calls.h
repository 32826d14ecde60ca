#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ports/file_descriptor.h"
#include "rpc/calls.h"

namespace jettison::cri {

// A runtime whose answers a test writes: a function a method, called when the answer is delivered.
// A method without one answers kUnavailable. Every call is written down. Used by one thread.
class FakeCalls : public Calls, public ContainerdCalls {
 public:
  // A list of containers that is asked for.
  struct ContainersWanted {
    std::string in_namespace;
    containers_api::ListContainersRequest request;
  };
  template <typename Request, typename Response>
  using Handler = std::function<Result<Response>(const Request&)>;

  Handler<api::VersionRequest, api::VersionResponse> on_version;
  Handler<api::StatusRequest, api::StatusResponse> on_status;
  Handler<api::RunPodSandboxRequest, api::RunPodSandboxResponse> on_run_pod_sandbox;
  Handler<api::StopPodSandboxRequest, api::StopPodSandboxResponse> on_stop_pod_sandbox;
  Handler<api::RemovePodSandboxRequest, api::RemovePodSandboxResponse> on_remove_pod_sandbox;
  Handler<api::ListPodSandboxRequest, api::ListPodSandboxResponse> on_list_pod_sandbox;
  Handler<api::CreateContainerRequest, api::CreateContainerResponse> on_create_container;
  Handler<api::StartContainerRequest, api::StartContainerResponse> on_start_container;
  Handler<api::StopContainerRequest, api::StopContainerResponse> on_stop_container;
  Handler<api::RemoveContainerRequest, api::RemoveContainerResponse> on_remove_container;
  Handler<api::ListContainersRequest, api::ListContainersResponse> on_list_containers;
  Handler<api::ContainerStatusRequest, api::ContainerStatusResponse> on_container_status;
  Handler<api::ReopenContainerLogRequest, api::ReopenContainerLogResponse> on_reopen_container_log;
  Handler<api::ExecSyncRequest, api::ExecSyncResponse> on_exec_sync;
  Handler<api::ListImagesRequest, api::ListImagesResponse> on_list_images;
  Handler<api::ImageStatusRequest, api::ImageStatusResponse> on_image_status;
  Handler<api::PullImageRequest, api::PullImageResponse> on_pull_image;
  Handler<api::RemoveImageRequest, api::RemoveImageResponse> on_remove_image;
  Handler<api::ImageFsInfoRequest, api::ImageFsInfoResponse> on_image_fs_info;

  Handler<namespaces_api::ListNamespacesRequest, namespaces_api::ListNamespacesResponse>
      on_list_namespaces;
  Handler<ContainersWanted, containers_api::ListContainersResponse> on_list_containers_in;
  Handler<std::string, images_api::ListImagesResponse> on_list_images_in;  // namespace
  Handler<TaskKey, containers_api::GetContainerResponse> on_get_container_in;
  Handler<std::string, tasks_api::ListTasksResponse> on_list_tasks_in;  // namespace
  Handler<TaskKey, tasks_api::GetResponse> on_get_task;
  Handler<TaskKey, tasks_api::KillResponse> on_kill_task;
  Handler<TaskKey, tasks_api::DeleteResponse> on_delete_task;

  FakeCalls() : event_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void Version(Duration, Answer<api::VersionResponse> answer) override {
    Queue("Version", on_version, api::VersionRequest(), std::move(answer));
  }
  void Status(const api::StatusRequest& request, Duration,
              Answer<api::StatusResponse> answer) override {
    Queue("Status", on_status, request, std::move(answer));
  }
  void RunPodSandbox(const api::RunPodSandboxRequest& request, Duration,
                     Answer<api::RunPodSandboxResponse> answer) override {
    Queue("RunPodSandbox " + request.config().metadata().name(), on_run_pod_sandbox, request,
          std::move(answer));
  }
  void StopPodSandbox(const api::StopPodSandboxRequest& request, Duration,
                      Answer<api::StopPodSandboxResponse> answer) override {
    Queue("StopPodSandbox " + request.pod_sandbox_id(), on_stop_pod_sandbox, request,
          std::move(answer));
  }
  void RemovePodSandbox(const api::RemovePodSandboxRequest& request, Duration,
                        Answer<api::RemovePodSandboxResponse> answer) override {
    Queue("RemovePodSandbox " + request.pod_sandbox_id(), on_remove_pod_sandbox, request,
          std::move(answer));
  }
  void ListPodSandbox(const api::ListPodSandboxRequest& request, Duration,
                      Answer<api::ListPodSandboxResponse> answer) override {
    Queue("ListPodSandbox", on_list_pod_sandbox, request, std::move(answer));
  }
  void CreateContainer(const api::CreateContainerRequest& request, Duration,
                       Answer<api::CreateContainerResponse> answer) override {
    Queue("CreateContainer " + request.config().metadata().name(), on_create_container, request,
          std::move(answer));
  }
  void StartContainer(const api::StartContainerRequest& request, Duration,
                      Answer<api::StartContainerResponse> answer) override {
    Queue("StartContainer " + request.container_id(), on_start_container, request,
          std::move(answer));
  }
  void StopContainer(const api::StopContainerRequest& request, Duration,
                     Answer<api::StopContainerResponse> answer) override {
    Queue("StopContainer " + request.container_id(), on_stop_container, request, std::move(answer));
  }
  void RemoveContainer(const api::RemoveContainerRequest& request, Duration,
                       Answer<api::RemoveContainerResponse> answer) override {
    Queue("RemoveContainer " + request.container_id(), on_remove_container, request,
          std::move(answer));
  }
  void ListContainers(const api::ListContainersRequest& request, Duration,
                      Answer<api::ListContainersResponse> answer) override {
    Queue("ListContainers", on_list_containers, request, std::move(answer));
  }
  void ContainerStatus(const api::ContainerStatusRequest& request, Duration,
                       Answer<api::ContainerStatusResponse> answer) override {
    Queue("ContainerStatus " + request.container_id(), on_container_status, request,
          std::move(answer));
  }
  void ReopenContainerLog(const api::ReopenContainerLogRequest& request, Duration,
                          Answer<api::ReopenContainerLogResponse> answer) override {
    Queue("ReopenContainerLog " + request.container_id(), on_reopen_container_log, request,
          std::move(answer));
  }
  void ExecSync(const api::ExecSyncRequest& request, Duration,
                Answer<api::ExecSyncResponse> answer) override {
    Queue("ExecSync " + request.container_id(), on_exec_sync, request, std::move(answer));
  }
  void ListImages(Duration, Answer<api::ListImagesResponse> answer) override {
    Queue("ListImages", on_list_images, api::ListImagesRequest(), std::move(answer));
  }
  void ImageStatus(const api::ImageStatusRequest& request, Duration,
                   Answer<api::ImageStatusResponse> answer) override {
    Queue("ImageStatus " + request.image().image(), on_image_status, request, std::move(answer));
  }
  void PullImage(const api::PullImageRequest& request, Duration,
                 Answer<api::PullImageResponse> answer) override {
    Queue("PullImage " + request.image().image(), on_pull_image, request, std::move(answer));
  }
  void RemoveImage(const api::RemoveImageRequest& request, Duration,
                   Answer<api::RemoveImageResponse> answer) override {
    Queue("RemoveImage " + request.image().image(), on_remove_image, request, std::move(answer));
  }
  void ImageFsInfo(Duration, Answer<api::ImageFsInfoResponse> answer) override {
    Queue("ImageFsInfo", on_image_fs_info, api::ImageFsInfoRequest(), std::move(answer));
  }

  ContainerdCalls* containerd() override { return this; }
  void ListNamespaces(Duration, Answer<namespaces_api::ListNamespacesResponse> answer) override {
    Queue("ListNamespaces", on_list_namespaces, namespaces_api::ListNamespacesRequest(),
          std::move(answer));
  }
  void ListContainersIn(const std::string& in_namespace,
                        const containers_api::ListContainersRequest& request, Duration,
                        Answer<containers_api::ListContainersResponse> answer) override {
    Queue("ListContainersIn " + in_namespace, on_list_containers_in,
          ContainersWanted{.in_namespace = in_namespace, .request = request}, std::move(answer));
  }
  void GetContainerIn(const std::string& in_namespace,
                      const containers_api::GetContainerRequest& request, Duration,
                      Answer<containers_api::GetContainerResponse> answer) override {
    Queue("GetContainerIn " + in_namespace + " " + request.id(), on_get_container_in,
          TaskKey{.in_namespace = in_namespace, .id = request.id()}, std::move(answer));
  }
  void ListImagesIn(const std::string& in_namespace, Duration,
                    Answer<images_api::ListImagesResponse> answer) override {
    Queue("ListImagesIn " + in_namespace, on_list_images_in, in_namespace, std::move(answer));
  }
  void ListTasksIn(const std::string& in_namespace, Duration,
                   Answer<tasks_api::ListTasksResponse> answer) override {
    Queue("ListTasksIn " + in_namespace, on_list_tasks_in, in_namespace, std::move(answer));
  }
  void GetTaskIn(const std::string& in_namespace, const tasks_api::GetRequest& request, Duration,
                 Answer<tasks_api::GetResponse> answer) override {
    Queue("GetTaskIn " + in_namespace + " " + request.container_id(), on_get_task,
          TaskKey{.in_namespace = in_namespace, .id = request.container_id()}, std::move(answer));
  }
  void KillTaskIn(const std::string& in_namespace, const tasks_api::KillRequest& request, Duration,
                  Answer<tasks_api::KillResponse> answer) override {
    Queue("KillTaskIn " + in_namespace + " " + request.container_id(), on_kill_task,
          TaskKey{.in_namespace = in_namespace, .id = request.container_id()}, std::move(answer));
  }
  void DeleteTaskIn(const std::string& in_namespace, const tasks_api::DeleteTaskRequest& request,
                    Duration, Answer<tasks_api::DeleteResponse> answer) override {
    Queue("DeleteTaskIn " + in_namespace + " " + request.container_id(), on_delete_task,
          TaskKey{.in_namespace = in_namespace, .id = request.container_id()}, std::move(answer));
  }

  [[nodiscard]] int fd() const override { return event_fd_.get(); }
  // Answers every call that waits, those that follow from the answers included.
  void Deliver() override {
    std::uint64_t ignored = 0;
    (void)!::read(event_fd_.get(), &ignored, sizeof ignored);
    while (DeliverOne()) {
    }
  }
  // Answers the oldest call that waits; false: there is none, or the runtime hangs.
  bool DeliverOne() {
    if (hanging_ || answers_.empty()) return false;
    const auto answer = std::move(answers_.front());
    answers_.pop_front();
    answer();
    return true;
  }
  // Calls are written down, but their answers are kept back until Resume.
  void Hang() { hanging_ = true; }
  void Resume() { hanging_ = false; }
  // The same for calls of one method alone.
  void HoldBack(std::string method) { held_back_ = std::move(method); }
  void LetGo() {
    held_back_.clear();
    for (auto& answer : std::exchange(kept_, {})) answers_.push_back(std::move(answer));
    Wake();
  }
  // The calls since the last time, in order: the method and the name or ID it is about.
  [[nodiscard]] std::vector<std::string> TakeCalls() { return std::exchange(calls_, {}); }
  // How many calls wait for their answer.
  [[nodiscard]] std::size_t waiting() const { return answers_.size(); }

 private:
  template <typename Request, typename Response>
  void Queue(const std::string& call, const Handler<Request, Response>& handler,
             const Request& request, Answer<Response> answer) {
    calls_.push_back(call);
    const bool kept = !held_back_.empty() && call.starts_with(held_back_);
    (kept ? kept_ : answers_).emplace_back([&handler, call, request, answer = std::move(answer)] {
      if (handler) return answer(handler(request));
      answer(Fail(ErrorCode::kUnavailable, call + ": the fake has no answer"));
    });
    Wake();
  }
  void Wake() {
    const std::uint64_t one = 1;
    (void)!::write(event_fd_.get(), &one, sizeof one);
  }

  FileDescriptor event_fd_;
  std::deque<std::function<void()>> answers_;
  std::deque<std::function<void()>> kept_;
  std::string held_back_;
  std::vector<std::string> calls_;
  bool hanging_ = false;
};

}  // namespace jettison::cri
