#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/model/pod.h"
#include "core/units/result.h"
#include "ports/container_runtime.h"

namespace jettison::kernel {

// Every container of the pod, init containers first.
[[nodiscard]] inline std::vector<const Container*> ContainersOf(const Pod& pod) {
  std::vector<const Container*> containers;
  containers.reserve(pod.init_containers.size() + pod.containers.size());
  for (const Container& container : pod.init_containers) containers.push_back(&container);
  for (const Container& container : pod.containers) containers.push_back(&container);
  return containers;
}

// The container of that name, or null.
[[nodiscard]] inline const Container* FindContainer(const Pod& pod, std::string_view name) {
  for (const Container* container : ContainersOf(pod)) {
    if (container->name == name) return container;
  }
  return nullptr;
}

// Where the process runtime keeps things below its root. Only names are made here, nothing is read.
class Paths {
 public:
  // Absolute paths without a slash at their ends; `logs` empty: below the root.
  explicit Paths(std::string root, std::string logs = "")
      : root_(std::move(root)), logs_(logs.empty() ? root_ + "/logs" : std::move(logs)) {}

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string Lock() const { return root_ + "/lock"; }

  [[nodiscard]] std::string Pods() const { return root_ + "/pods"; }
  [[nodiscard]] std::string Pod(std::string_view uid) const {
    return fmt::format("{}/pods/{}", root_, uid);
  }
  // The pod as it was created; a pod folder without it is not a pod (any more).
  [[nodiscard]] std::string PodFile(std::string_view uid) const { return Pod(uid) + "/pod.json"; }
  [[nodiscard]] std::string Volumes(std::string_view uid) const { return Pod(uid) + "/volumes"; }
  [[nodiscard]] std::string Volume(std::string_view uid, std::string_view volume) const {
    return fmt::format("{}/volumes/{}", Pod(uid), volume);
  }
  [[nodiscard]] std::string Containers(std::string_view uid) const {
    return Pod(uid) + "/containers";
  }
  // All runs of a container.
  [[nodiscard]] std::string Container(std::string_view uid, std::string_view container) const {
    return fmt::format("{}/containers/{}", Pod(uid), container);
  }
  // One run: its state files and its writable layer.
  [[nodiscard]] std::string Run(std::string_view uid, std::string_view container,
                                int attempt) const {
    return fmt::format("{}/{}", Container(uid, container), attempt);
  }
  // The writable layer of a run: the folder it starts in.
  [[nodiscard]] std::string Rootfs(std::string_view uid, std::string_view container,
                                   int attempt) const {
    return Run(uid, container, attempt) + "/rootfs";
  }

  [[nodiscard]] const std::string& Logs() const { return logs_; }
  [[nodiscard]] std::string PodLogs(const jettison::Pod& pod) const {
    return fmt::format("{}/{}_{}_{}", logs_, pod.namespace_, pod.name, pod.uid);
  }
  // The logs of all runs of a container, rotated ones included.
  [[nodiscard]] std::string ContainerLogs(const jettison::Pod& pod,
                                          std::string_view container) const {
    return fmt::format("{}/{}", PodLogs(pod), container);
  }
  [[nodiscard]] std::string Log(const jettison::Pod& pod, std::string_view container,
                                int attempt) const {
    return fmt::format("{}/{}.log", ContainerLogs(pod, container), attempt);
  }

  [[nodiscard]] std::string ConfigMap(std::string_view of_namespace, std::string_view name) const {
    return fmt::format("{}/config/configmaps/{}/{}", root_, of_namespace, name);
  }
  [[nodiscard]] std::string Secret(std::string_view of_namespace, std::string_view name) const {
    return fmt::format("{}/config/secrets/{}/{}", root_, of_namespace, name);
  }

 private:
  std::string root_;
  std::string logs_;
};

// What a pod keeps on disk below these paths; writable layers are left to the runtime.
[[nodiscard]] PodDisk DiskOf(const Paths& paths, const Pod& pod);

// Whether a folder of logs of this name is that of the pod. Names and namespaces have no "_", a UID
// may have: "ns_name_a_b" is of the pod a_b and not of b.
[[nodiscard]] bool IsLogsOf(std::string_view name, std::string_view uid);

// Whether `name` can stand as one component of a path.
[[nodiscard]] bool IsPathSegment(std::string_view name);

// Refuses a pod whose names would lead out of the runtime's folders. Manifests are checked for far
// more; this holds whoever calls.
[[nodiscard]] Result<void> CheckNames(const Pod& pod);

}  // namespace jettison::kernel
