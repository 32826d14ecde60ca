#pragma once

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/file_descriptor.h"
#include "rpc/calls.h"

namespace jettison::cri {

// A runtime whose answers a test writes: a function a method, called when the answer is delivered.
// A method without one answers kUnavailable. Every call is written down. Used by one thread.
class FakeCalls : public Calls {
 public:
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
  Handler<TaskKey, containers_api::GetContainerResponse> on_get_container_in;
  Handler<std::string, tasks_api::ListTasksResponse> on_list_tasks_in;  // namespace
  Handler<TaskKey, tasks_api::GetResponse> on_get_task;
  Handler<TaskKey, tasks_api::DeleteResponse> on_delete_task;

  FakeCalls() : event_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    Serve(kVersion, on_version);
    Serve(kStatus, on_status);
    Serve(kListPodSandbox, on_list_pod_sandbox);
    Serve(kListContainers, on_list_containers);
    Serve(kListImages, on_list_images);
    Serve(kImageFsInfo, on_image_fs_info);
    Serve(kRunPodSandbox, on_run_pod_sandbox);
    Serve(kCreateContainer, on_create_container);
    Serve(kStopPodSandbox, on_stop_pod_sandbox);
    Serve(kRemovePodSandbox, on_remove_pod_sandbox);
    Serve(kStartContainer, on_start_container);
    Serve(kStopContainer, on_stop_container);
    Serve(kRemoveContainer, on_remove_container);
    Serve(kContainerStatus, on_container_status);
    Serve(kReopenContainerLog, on_reopen_container_log);
    Serve(kExecSync, on_exec_sync);
    Serve(kImageStatus, on_image_status);
    Serve(kPullImage, on_pull_image);
    Serve(kRemoveImage, on_remove_image);
    Serve(kListNamespaces, on_list_namespaces);
    ServeIn(kListTasksIn, on_list_tasks_in, [](const auto&, std::string space) { return space; });
    ServeIn(kGetContainerIn, on_get_container_in, [](const auto& request, std::string space) {
      return TaskKey{.in_namespace = std::move(space), .id = request.id()};
    });
    const auto task = [](const auto& request, std::string space) {
      return TaskKey{.in_namespace = std::move(space), .id = request.container_id()};
    };
    ServeIn(kGetTaskIn, on_get_task, task);
    ServeIn(kDeleteTaskIn, on_delete_task, task);
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

 private:
  // What a request is about, by its name or ID.
  template <typename Request>
  [[nodiscard]] static std::string AboutOf(const Request& request) {
    if constexpr (requires { request.config().metadata(); }) {
      return " " + request.config().metadata().name();
    } else if constexpr (requires { request.container_id(); }) {
      return " " + request.container_id();
    } else if constexpr (requires { request.pod_sandbox_id(); }) {
      return " " + request.pod_sandbox_id();
    } else if constexpr (requires { request.image().image(); }) {
      return " " + request.image().image();
    } else if constexpr (requires { request.id; }) {
      return " " + request.id;
    } else {
      return {};
    }
  }

  void Start(UntypedCall call) override { served_.at(call.path)(call); }
  template <typename Request, typename Response>
  void Serve(const Method<Request, Response>& method, const Handler<Request, Response>& handler) {
    served_[method.path] = [this, &handler](UntypedCall& call) {
      const auto& request = static_cast<const Request&>(call.request);
      Queue(call.name + AboutOf(request), handler, request, call);
    };
  }
  // `asked`: what a request in a namespace asks for.
  template <typename Request, typename Response, typename Asked, typename AskedBy>
  void ServeIn(const Method<Request, Response>& method, const Handler<Asked, Response>& handler,
               AskedBy asked_by) {
    served_[method.path] = [this, &handler, asked_by](UntypedCall& call) {
      const Asked asked =
          asked_by(static_cast<const Request&>(call.request), std::string(call.in_namespace));
      Queue(fmt::format("{} {}{}", call.name, call.in_namespace, AboutOf(asked)), handler, asked,
            call);
    };
  }
  template <typename Asked, typename Response>
  void Queue(const std::string& text, const Handler<Asked, Response>& handler, const Asked& asked,
             UntypedCall& call) {
    calls_.push_back(text);
    const bool kept = !held_back_.empty() && text.starts_with(held_back_);
    (kept ? kept_ : answers_)
        .emplace_back([&handler, text, asked, done = std::move(call.done),
                       response = std::static_pointer_cast<Response>(std::move(call.response))] {
          if (!handler) {
            return done(Error{ErrorCode::kUnavailable, text + ": the fake has no answer"});
          }
          Result<Response> answer = handler(asked);
          if (!answer) return done(answer.error());
          *response = *std::move(answer);
          done(std::nullopt);
        });
    Wake();
  }
  void Wake() {
    const std::uint64_t one = 1;
    (void)!::write(event_fd_.get(), &one, sizeof one);
  }

  FileDescriptor event_fd_;
  std::map<std::string_view, std::function<void(UntypedCall&)>> served_;  // by path
  std::deque<std::function<void()>> answers_;
  std::deque<std::function<void()>> kept_;
  std::string held_back_;
  std::vector<std::string> calls_;
  bool hanging_ = false;
};

}  // namespace jettison::cri
