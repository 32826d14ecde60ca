#pragma once

#include <containerd_containers.pb.h>
#include <containerd_images.pb.h>
#include <containerd_namespaces.pb.h>
#include <containerd_tasks.pb.h>
#include <cri.pb.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::cri {

// A container that containerd has and CRI does not know.
struct TaskKey {
  std::string in_namespace;  // of containerd
  std::string id;            // unique in it
};

namespace namespaces_api = ::containerd::services::namespaces::v1;
namespace images_api = ::containerd::services::images::v1;
namespace containers_api = ::containerd::services::containers::v1;
namespace tasks_api = ::containerd::services::tasks::v1;
namespace task_api = ::containerd::v1::types;

// The calls of containerd's own API that the agent makes. They list containers that were not
// created through CRI, in every namespace, report the age of an image, and remove what CRI leaves
// behind. Answers are delivered as those of Calls. A runtime without this API answers kNotFound.
class ContainerdCalls {
 public:
  virtual ~ContainerdCalls() = default;

  virtual void ListNamespaces(
      Duration deadline,
      std::function<void(Result<namespaces_api::ListNamespacesResponse>)> answer) = 0;
  // `in_namespace`: the namespace of containerd, letters, digits and [._-].
  virtual void ListContainersIn(
      const std::string& in_namespace, const containers_api::ListContainersRequest& request,
      Duration deadline,
      std::function<void(Result<containers_api::ListContainersResponse>)> answer) = 0;
  virtual void GetContainerIn(
      const std::string& in_namespace, const containers_api::GetContainerRequest& request,
      Duration deadline,
      std::function<void(Result<containers_api::GetContainerResponse>)> answer) = 0;
  virtual void ListImagesIn(const std::string& in_namespace, Duration deadline,
                            std::function<void(Result<images_api::ListImagesResponse>)> answer) = 0;
  // All tasks, also those whose processes have ended.
  virtual void ListTasksIn(const std::string& in_namespace, Duration deadline,
                           std::function<void(Result<tasks_api::ListTasksResponse>)> answer) = 0;
  virtual void GetTaskIn(const std::string& in_namespace, const tasks_api::GetRequest& request,
                         Duration deadline,
                         std::function<void(Result<tasks_api::GetResponse>)> answer) = 0;
  virtual void KillTaskIn(const std::string& in_namespace, const tasks_api::KillRequest& request,
                          Duration deadline,
                          std::function<void(Result<tasks_api::KillResponse>)> answer) = 0;
  // Of a task whose processes have ended, or were never let go.
  virtual void DeleteTaskIn(const std::string& in_namespace,
                            const tasks_api::DeleteTaskRequest& request, Duration deadline,
                            std::function<void(Result<tasks_api::DeleteResponse>)> answer) = 0;
};

namespace api = ::runtime::v1;

// The outcome of one call. kDeadlineExceeded: its deadline passed; kUnavailable: nobody answers on
// the socket, or what answers does not speak CRI; kNotFound: the object is gone.
template <typename Response>
using Answer = std::function<void(Result<Response>)>;

// The calls of the Container Runtime Interface (v1) that the agent makes. None of them blocks: each
// is answered once, by Deliver, on the thread that calls it. Whoever is destroyed before its answer
// has come guards its own callback.
class Calls {
 public:
  virtual ~Calls() = default;

  // RuntimeService
  virtual void Version(Duration deadline, Answer<api::VersionResponse> answer) = 0;
  virtual void Status(const api::StatusRequest& request, Duration deadline,
                      Answer<api::StatusResponse> answer) = 0;
  virtual void RunPodSandbox(const api::RunPodSandboxRequest& request, Duration deadline,
                             Answer<api::RunPodSandboxResponse> answer) = 0;
  virtual void StopPodSandbox(const api::StopPodSandboxRequest& request, Duration deadline,
                              Answer<api::StopPodSandboxResponse> answer) = 0;
  virtual void RemovePodSandbox(const api::RemovePodSandboxRequest& request, Duration deadline,
                                Answer<api::RemovePodSandboxResponse> answer) = 0;
  virtual void ListPodSandbox(const api::ListPodSandboxRequest& request, Duration deadline,
                              Answer<api::ListPodSandboxResponse> answer) = 0;
  virtual void CreateContainer(const api::CreateContainerRequest& request, Duration deadline,
                               Answer<api::CreateContainerResponse> answer) = 0;
  virtual void StartContainer(const api::StartContainerRequest& request, Duration deadline,
                              Answer<api::StartContainerResponse> answer) = 0;
  virtual void StopContainer(const api::StopContainerRequest& request, Duration deadline,
                             Answer<api::StopContainerResponse> answer) = 0;
  virtual void RemoveContainer(const api::RemoveContainerRequest& request, Duration deadline,
                               Answer<api::RemoveContainerResponse> answer) = 0;
  virtual void ListContainers(const api::ListContainersRequest& request, Duration deadline,
                              Answer<api::ListContainersResponse> answer) = 0;
  virtual void ContainerStatus(const api::ContainerStatusRequest& request, Duration deadline,
                               Answer<api::ContainerStatusResponse> answer) = 0;
  virtual void ReopenContainerLog(const api::ReopenContainerLogRequest& request, Duration deadline,
                                  Answer<api::ReopenContainerLogResponse> answer) = 0;
  virtual void ExecSync(const api::ExecSyncRequest& request, Duration deadline,
                        Answer<api::ExecSyncResponse> answer) = 0;
  // ImageService
  virtual void ListImages(Duration deadline, Answer<api::ListImagesResponse> answer) = 0;
  virtual void ImageStatus(const api::ImageStatusRequest& request, Duration deadline,
                           Answer<api::ImageStatusResponse> answer) = 0;
  virtual void PullImage(const api::PullImageRequest& request, Duration deadline,
                         Answer<api::PullImageResponse> answer) = 0;
  virtual void RemoveImage(const api::RemoveImageRequest& request, Duration deadline,
                           Answer<api::RemoveImageResponse> answer) = 0;
  virtual void ImageFsInfo(Duration deadline, Answer<api::ImageFsInfoResponse> answer) = 0;

  // Calls beside CRI, answered with the others; null: none can be made.
  [[nodiscard]] virtual ContainerdCalls* containerd() { return nullptr; }

  // Readable when answers have come.
  [[nodiscard]] virtual int fd() const = 0;
  // Hands out the answers that have come, in their order.
  virtual void Deliver() = 0;
};

// Delivers answers until `done` is true, or for `timeout` at most; returns whether it is. It
// blocks, and callbacks of other calls run meanwhile, so it is for moments when there is nothing
// else to do, such as the start.
bool AwaitAnswers(Calls& calls, Duration timeout, const std::function<bool()>& done);

// Makes one call that has a deadline, and awaits its answer in the same way. kDeadlineExceeded
// where no answer comes. Other calls may delay it, because each is answered by its own deadline
// only.
template <typename Response>
[[nodiscard]] Result<Response> AwaitAnswer(Calls& calls, Duration deadline,
                                           const std::function<void(Answer<Response>)>& start) {
  constexpr Duration kAfterDeadline = std::chrono::milliseconds(500);
  const auto answer = std::make_shared<std::optional<Result<Response>>>();
  start([answer](Result<Response> given) { answer->emplace(std::move(given)); });
  if (!AwaitAnswers(calls, deadline + kAfterDeadline, [&] { return answer->has_value(); })) {
    return Fail(ErrorCode::kDeadlineExceeded, "the runtime does not answer");
  }
  return std::move(**answer);
}

}  // namespace jettison::cri
