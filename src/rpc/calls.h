#pragma once

#include <cri.pb.h>

#include <functional>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "rpc/containerd_calls.h"

namespace jettison::cri {

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

}  // namespace jettison::cri
