#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/found_foreign_pod.h"
#include "sources/kubernetes/objects/api_objects.h"

namespace jettison::kube {

// The UID by which the kubelet names a pod in its own tree of groups and folders. For a mirror pod
// that is the hash of the manifest, which is the UID of the static pod that runs.
[[nodiscard]] std::string LocalUidOf(const ApiPod& pod);

// The group of the pod as the kubelet lays it out.
[[nodiscard]] std::string PodGroupOf(const ApiPod& pod, const kernel::GroupNames& names);

// A container, or the sandbox, as its group below the pod's shows it.
struct SeenContainer {
  std::string id;           // of the container
  std::string group;        // relative to the node's own
  pid_t pid = 0;            // its first process
  std::uint64_t began = 0;  // that did, in ticks since the boot; 0: it is hidden
  friend bool operator==(const SeenContainer&, const SeenContainer&) = default;
};

// The containers of a pod that run, as the groups below the pod's show them, in the order of their
// start.
struct SeenPod {
  std::vector<SeenContainer> containers;
  // IDs of the containers whose group exists and in which no process is seen: the container does
  // not run yet, has ended, or cannot be read.
  std::vector<std::string> empty;
};
// kNotFound: the pod has no group.
[[nodiscard]] Result<SeenPod> SeeContainers(const NodeGroups& node, const std::string& pod_group);

// The ID in the name of a container's group ("cri-containerd-ID.scope", "crio-ID.scope", "ID").
[[nodiscard]] std::string_view IdIn(std::string_view group_name);

// Where a kubelet keeps the files of pods, and how pods of DaemonSets and Jobs are treated.
struct KubeletPlaces {
  std::string directory = "/var/lib/kubelet";
  std::string pod_logs = "/var/log/pods";
  bool evict_daemon_sets = false;
  JobEnding jobs = JobEnding::kKill;
};

// A pod of a kubelet without its containers, from its API object alone.
[[nodiscard]] FoundForeignPod FindingOf(const ApiPod& pod, const KubeletPlaces& kubelet);

// The pod's own containers among those that were seen in its groups, each with its name. The
// sandbox, which started first and is not in the pod's status, is left out, and so are ephemeral
// containers (kubectl debug). A container that the status does not contain yet gets the name of one
// that is missing, since the containers of a pod start in the order of its specification.
[[nodiscard]] std::vector<ForeignContainer> ContainersOf(const ApiPod& pod,
                                                         const std::vector<SeenContainer>& seen,
                                                         const KubeletPlaces& kubelet);

// A pod whose group was found with a limit of no processes.
struct FoundHeld {
  ObjectHead head;
  std::string group;  // relative to the node's own
};

// Tells of the pods of a node, each as it is now.
class PodFeed {
 public:
  struct Listeners {
    std::function<void(const ApiPod&)> on_pod;  // it appeared, or changed
    std::function<void(const ObjectHead&)> on_gone;
    // The eviction of the pod of this UID was given up, so it may run again. May be null.
    std::function<void(const std::string&)> on_given_up = nullptr;
    // The pods that were reported since the last call and can start no process. Pods that have
    // ended or are being deleted are left out. May be null.
    std::function<std::vector<FoundHeld>()> take_held = nullptr;
  };

  virtual ~PodFeed() = default;

  // Who is told from now on.
  virtual void Follow(Listeners listeners) = 0;
  // Readable when Dispatch has something to tell.
  [[nodiscard]] virtual int fd() const = 0;
  // Tells what there is to tell. Never waits.
  virtual void Dispatch() = 0;
  // Whether every pod that is known to exist has been reported.
  [[nodiscard]] virtual bool IsComplete() const = 0;
};

}  // namespace jettison::kube
