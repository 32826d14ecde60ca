#pragma once

#include <containerd_containers.pb.h>
#include <containerd_images.pb.h>
#include <containerd_namespaces.pb.h>
#include <containerd_tasks.pb.h>

#include <functional>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::cri {

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

}  // namespace jettison::cri
