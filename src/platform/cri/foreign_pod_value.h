#pragma once

#include <cri.pb.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/pod.h"

namespace jettison::cri {

namespace api = ::runtime::v1;

// A container that runs in somebody else's pod, as the runtime and the kernel tell it.
struct ForeignContainer {
  api::ContainerStatus status;
  std::string name;                           // in its pod
  pid_t pid = 0;                              // its first process
  std::string group;                          // relative to the node's own
  std::optional<std::uint64_t> memory_limit;  // bytes; absent: none of its own
  std::optional<std::int64_t> milli_cpu;      // what its CPU shares ask for
  std::optional<int> stop_signal;             // absent: TERM
  // Set: CRI does not know the container, containerd has it in this namespace.
  std::string task_namespace;
};

// Gives each container the name that its label says, else its metadata; its ID where that cannot be
// a name or another one has it.
void NameContainers(std::vector<ForeignContainer>& containers);

// The groups that together hold the pod: its own, where there is one after Kubernetes' layout (for
// either cgroup driver), else those of its containers.
[[nodiscard]] std::vector<std::string> PodGroupsOf(const std::vector<ForeignContainer>& containers,
                                                   std::string_view uid);

// What can be told of somebody else's pod.
struct ForeignReading {
  Pod pod;
  // Annotations and labels "jettison.io/..." that make no sense and were ignored, as "name: value".
  std::vector<std::string> ignored;
};

// The pod behind a sandbox: names and UID from the kubelet's labels, else its metadata, else its
// ID; what it asks for from the containers' groups and, before these, from annotations or labels of
// the sandbox: jettison.io/priority, jettison.io/qos, jettison.io/requests.{cpu,memory,
// ephemeral-storage}, jettison.io/limits.memory, each of the whole pod.
[[nodiscard]] ForeignReading ReadForeignPod(const api::PodSandbox& sandbox,
                                            const std::vector<ForeignContainer>& containers);

}  // namespace jettison::cri
