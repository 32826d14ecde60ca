#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/container_exit.h"
#include "core/model/pod.h"

namespace jettison {

// A running container of a foreign pod.
struct ForeignContainer {
  std::string id;                    // unique on its runtime
  std::optional<std::string> label;  // what Kubernetes' label calls it
  std::string given_name;            // by the software that runs it
  std::string name;                  // in its pod
  std::string image;
  int attempt = 0;
  std::int64_t created_at = 0;  // nanoseconds of real time; 0: not told
  std::int64_t started_at = 0;
  std::string log_path;                       // of the file; empty: not told
  std::optional<std::string> grace_period;    // as Kubernetes' annotation says it
  pid_t pid = 0;                              // its first process
  std::string group;                          // relative to the node's own
  std::optional<std::uint64_t> memory_limit;  // bytes; absent: none of its own
  std::optional<std::int64_t> milli_cpu;      // what its CPU shares ask for
  std::optional<int> stop_signal;             // absent: TERM
  std::shared_ptr<Anchor> anchor;             // see Anchor
};

// How the software that runs a pod identifies and describes it.
struct ForeignIdentity {
  std::string key;  // unique on the node; can be the name of a folder
  std::string name;
  std::string namespace_;
  std::string uid;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
};

// Names each container after its label, otherwise after its metadata. Its ID serves where that is
// no valid name or another container has it.
void NameContainers(std::vector<ForeignContainer>& containers);

// The groups that together hold the pod: its own, where there is one after Kubernetes' layout (for
// either cgroup driver), else those of its containers.
[[nodiscard]] std::vector<std::string> PodGroupsOf(const std::vector<ForeignContainer>& containers,
                                                   std::string_view uid);

// What is known of a foreign pod.
struct ForeignReading {
  Pod pod;
  // Annotations and labels "jettison.io/..." that are invalid and were ignored, as "name: value".
  std::vector<std::string> ignored;
};

// The pod of this identity. Names and UID come from the kubelet's labels, otherwise from the
// identity, otherwise from its key. Requests and limits come from annotations or labels, otherwise
// from the containers' groups: jettison.io/priority, jettison.io/qos,
// jettison.io/requests.{cpu,memory,ephemeral-storage}, jettison.io/limits.memory, each for the
// whole pod.
[[nodiscard]] ForeignReading ReadForeignPod(const ForeignIdentity& identity,
                                            const std::vector<ForeignContainer>& containers);

}  // namespace jettison
