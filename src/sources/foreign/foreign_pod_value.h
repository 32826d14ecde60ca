#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/anchor.h"
#include "core/model/pod.h"

namespace jettison {

// A container that runs in a foreign pod, whoever tells of it.
struct ForeignContainer {
  std::string id;                    // unique on its runtime
  std::optional<std::string> label;  // what Kubernetes' label calls it
  std::string given_name;            // by whoever made it
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
  std::shared_ptr<Anchor> anchor;             // what it hangs on
};

// What whoever made a pod calls it and says of it.
struct ForeignIdentity {
  std::string key;  // like no other pod's on the node; may name a folder
  std::string name;
  std::string namespace_;
  std::string uid;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
};

// Gives each container the name that its label says, else its metadata; its ID where that cannot be
// a name or another one has it.
void NameContainers(std::vector<ForeignContainer>& containers);

// The groups that together hold the pod: its own, where there is one after Kubernetes' layout (for
// either cgroup driver), else those of its containers.
[[nodiscard]] std::vector<std::string> PodGroupsOf(const std::vector<ForeignContainer>& containers,
                                                   std::string_view uid);

// What can be told of a foreign pod.
struct ForeignReading {
  Pod pod;
  // Annotations and labels "jettison.io/..." that make no sense and were ignored, as "name: value".
  std::vector<std::string> ignored;
};

// The pod of this identity: names and UID from the kubelet's labels, else its own, else its key;
// what it asks for from the containers' groups and, before these, from annotations or labels:
// jettison.io/priority, jettison.io/qos, jettison.io/requests.{cpu,memory,ephemeral-storage},
// jettison.io/limits.memory, each of the whole pod.
[[nodiscard]] ForeignReading ReadForeignPod(const ForeignIdentity& identity,
                                            const std::vector<ForeignContainer>& containers);

}  // namespace jettison
