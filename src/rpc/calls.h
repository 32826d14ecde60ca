#pragma once

#include <containerd_containers.pb.h>
#include <containerd_namespaces.pb.h>
#include <containerd_tasks.pb.h>
#include <cri.pb.h>
#include <google/protobuf/message_lite.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
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
namespace containers_api = ::containerd::services::containers::v1;
namespace tasks_api = ::containerd::services::tasks::v1;
namespace task_api = ::containerd::v1::types;

namespace api = ::runtime::v1;

// A method of the container runtime, with what is asked and what is answered.
template <typename Request, typename Response>
struct Method {
  const char* name;  // in errors: "RunPodSandbox"
  const char* path;  // "/runtime.v1.RuntimeService/RunPodSandbox"
};

// The methods of the Container Runtime Interface (v1) that the agent calls.
inline constexpr Method<api::VersionRequest, api::VersionResponse> kVersion{
    "Version", "/runtime.v1.RuntimeService/Version"};
inline constexpr Method<api::StatusRequest, api::StatusResponse> kStatus{
    "Status", "/runtime.v1.RuntimeService/Status"};
inline constexpr Method<api::RunPodSandboxRequest, api::RunPodSandboxResponse> kRunPodSandbox{
    "RunPodSandbox", "/runtime.v1.RuntimeService/RunPodSandbox"};
inline constexpr Method<api::StopPodSandboxRequest, api::StopPodSandboxResponse> kStopPodSandbox{
    "StopPodSandbox", "/runtime.v1.RuntimeService/StopPodSandbox"};
inline constexpr Method<api::RemovePodSandboxRequest, api::RemovePodSandboxResponse>
    kRemovePodSandbox{"RemovePodSandbox", "/runtime.v1.RuntimeService/RemovePodSandbox"};
inline constexpr Method<api::ListPodSandboxRequest, api::ListPodSandboxResponse> kListPodSandbox{
    "ListPodSandbox", "/runtime.v1.RuntimeService/ListPodSandbox"};
inline constexpr Method<api::CreateContainerRequest, api::CreateContainerResponse> kCreateContainer{
    "CreateContainer", "/runtime.v1.RuntimeService/CreateContainer"};
inline constexpr Method<api::StartContainerRequest, api::StartContainerResponse> kStartContainer{
    "StartContainer", "/runtime.v1.RuntimeService/StartContainer"};
inline constexpr Method<api::StopContainerRequest, api::StopContainerResponse> kStopContainer{
    "StopContainer", "/runtime.v1.RuntimeService/StopContainer"};
inline constexpr Method<api::RemoveContainerRequest, api::RemoveContainerResponse> kRemoveContainer{
    "RemoveContainer", "/runtime.v1.RuntimeService/RemoveContainer"};
inline constexpr Method<api::ListContainersRequest, api::ListContainersResponse> kListContainers{
    "ListContainers", "/runtime.v1.RuntimeService/ListContainers"};
inline constexpr Method<api::ContainerStatusRequest, api::ContainerStatusResponse> kContainerStatus{
    "ContainerStatus", "/runtime.v1.RuntimeService/ContainerStatus"};
inline constexpr Method<api::ReopenContainerLogRequest, api::ReopenContainerLogResponse>
    kReopenContainerLog{"ReopenContainerLog", "/runtime.v1.RuntimeService/ReopenContainerLog"};
inline constexpr Method<api::ExecSyncRequest, api::ExecSyncResponse> kExecSync{
    "ExecSync", "/runtime.v1.RuntimeService/ExecSync"};
inline constexpr Method<api::ListImagesRequest, api::ListImagesResponse> kListImages{
    "ListImages", "/runtime.v1.ImageService/ListImages"};
inline constexpr Method<api::ImageStatusRequest, api::ImageStatusResponse> kImageStatus{
    "ImageStatus", "/runtime.v1.ImageService/ImageStatus"};
inline constexpr Method<api::PullImageRequest, api::PullImageResponse> kPullImage{
    "PullImage", "/runtime.v1.ImageService/PullImage"};
inline constexpr Method<api::RemoveImageRequest, api::RemoveImageResponse> kRemoveImage{
    "RemoveImage", "/runtime.v1.ImageService/RemoveImage"};
inline constexpr Method<api::ImageFsInfoRequest, api::ImageFsInfoResponse> kImageFsInfo{
    "ImageFsInfo", "/runtime.v1.ImageService/ImageFsInfo"};

// Those of containerd's own API. They list containers that were not created through CRI, in every
// namespace, and remove what CRI leaves behind. All but the first are called in a namespace of
// containerd. A runtime without this API answers kNotFound.
inline constexpr Method<namespaces_api::ListNamespacesRequest,
                        namespaces_api::ListNamespacesResponse>
    kListNamespaces{"ListNamespaces", "/containerd.services.namespaces.v1.Namespaces/List"};
inline constexpr Method<containers_api::GetContainerRequest, containers_api::GetContainerResponse>
    kGetContainerIn{"GetContainerIn", "/containerd.services.containers.v1.Containers/Get"};
// All tasks, also those whose processes have ended.
inline constexpr Method<tasks_api::ListTasksRequest, tasks_api::ListTasksResponse> kListTasksIn{
    "ListTasksIn", "/containerd.services.tasks.v1.Tasks/List"};
inline constexpr Method<tasks_api::GetRequest, tasks_api::GetResponse> kGetTaskIn{
    "GetTaskIn", "/containerd.services.tasks.v1.Tasks/Get"};
// Of a task whose processes have ended, or were never let go.
inline constexpr Method<tasks_api::DeleteTaskRequest, tasks_api::DeleteResponse> kDeleteTaskIn{
    "DeleteTaskIn", "/containerd.services.tasks.v1.Tasks/Delete"};

// The outcome of one call. kDeadlineExceeded: its deadline passed; kUnavailable: nobody answers on
// the socket, or what answers does not speak CRI; kNotFound: the object is gone.
template <typename Response>
using Answer = std::function<void(Result<Response>)>;

// Whether nobody answered a call, which says nothing about what it was about.
[[nodiscard]] inline bool IsSilence(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDeadlineExceeded;
}

// A call of whatever method.
struct UntypedCall {
  const char* name;
  const char* path;
  const google::protobuf::MessageLite& request;  // not after the call was started
  std::shared_ptr<google::protobuf::MessageLite> response;
  Duration deadline;
  const std::string& in_namespace;  // of containerd; empty: it is about none
  // Called once, when the response is there; with an error there is none.
  std::function<void(std::optional<Error>)> done;
};

// Calls of a container runtime. None of them blocks: each is answered once, by Deliver, on the
// thread that calls it. Whoever is destroyed before its answer has come guards its own callback.
class Calls {
 public:
  virtual ~Calls() = default;

  // `in_namespace`: of containerd, letters, digits and [._-].
  template <typename Request, typename Response>
  void Make(const Method<Request, Response>& method, const std::type_identity_t<Request>& request,
            Duration deadline, std::type_identity_t<Answer<Response>> answer,
            const std::string& in_namespace = {}) {
    auto response = std::make_shared<Response>();
    Start({.name = method.name,
           .path = method.path,
           .request = request,
           .response = response,
           .deadline = deadline,
           .in_namespace = in_namespace,
           .done = [response, answer = std::move(answer)](std::optional<Error> error) {
             if (error) return answer(Fail(*std::move(error)));
             answer(std::move(*response));
           }});
  }

  // Readable when answers have come.
  [[nodiscard]] virtual int fd() const = 0;
  // Hands out the answers that have come, in their order.
  virtual void Deliver() = 0;

 private:
  virtual void Start(UntypedCall call) = 0;
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
