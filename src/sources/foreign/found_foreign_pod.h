#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "containers/container_exit.h"
#include "core/model/eviction.h"
#include "core/model/pod.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/container_runtime.h"

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
  std::shared_ptr<ContainerKeeper> keeper;    // see ContainerKeeper
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

// What the containers of a foreign pod belong to, and what has to be taken down after them: a
// sandbox, or the kubelet's pod.
class PodKeeper {
 public:
  using Done = std::function<void(const Result<void>&)>;

  virtual ~PodKeeper() = default;

  // Called when all containers have been killed or have ended. Prevents, as far as the kernel can,
  // that anybody starts a process in the pod again.
  virtual void Hold() {}
  // Takes it down, so that no container is started in it again. `done` is called with the outcome.
  virtual void TakeDown(Duration deadline, Done done) = 0;
  // The name of that operation, for messages: "stop the sandbox".
  [[nodiscard]] virtual std::string_view HowItEnds() const = 0;
};

// A foreign pod as it was found.
struct FoundForeignPod {
  ForeignIdentity identity;
  // The list of a source by which the pod was found; its name is unique. A pod that the list no
  // longer contains is gone (ForeignRoster::OnListed). Empty: there is no list, and the pod is gone
  // when its containers have ended.
  std::string list;
  // What its containers belong to; null: each container stands for itself.
  std::shared_ptr<PodKeeper> keeper = nullptr;
  PodOrigin origin = PodOrigin::kRuntime;    // who made it
  bool spared = false;                       // RuntimePod::spared
  bool kill_at_once = false;                 // killed without a grace period
  std::vector<ForeignContainer> containers;  // those that run
  std::set<std::string> considered;          // IDs of all that ran when it was looked at
  std::vector<PodDisk::LocalVolume> local_volumes = {};  // as far as their places are known
  // The pod in the form that the agent uses, with these containers by their names.
  ForeignReading reading = {};
};

// Orders the containers by age, names them, and makes `reading` from them and the identity. For a
// source that does not get the pod's specification.
void Describe(FoundForeignPod& finding);

}  // namespace jettison
