#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/eviction.h"
#include "core/model/pod.h"
#include "core/model/runtime_records.h"
#include "core/pods/start_failure.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/pod_plan.h"

namespace jettison {

// Where the files of one pod are, for the measurement of its disk use.
struct PodDisk {
  struct LocalVolume {
    std::string name;
    std::string path;
    bool memory = false;  // a tmpfs: its bytes are memory, not disk
  };
  struct ContainerDisk {
    std::string name;
    std::string logs;   // folder of the logs of all runs; empty: not known
    std::string layer;  // folder of what its newest run has written; empty: it never ran
  };
  std::vector<LocalVolume> empty_dirs;
  std::vector<ContainerDisk> containers;  // init containers first
};

// How long the space of a pod or container that is being removed counts as about to be freed. A
// removal that takes longer may never end.
inline constexpr Duration kRemovalTakes = std::chrono::seconds(10);

// A pod that the runtime has, and that this run of the agent has not created.
struct RuntimePod {
  Pod pod;                                  // as it was created, or as far as it can be told
  std::vector<ContainerRecord> containers;  // every run it remembers
  // The pod is foreign: it may be ended, but it is never started again, and its owner removes it.
  bool foreign = false;
  PodOrigin origin = PodOrigin::kRuntime;  // of a foreign pod: who created it
  // The pod is measured, but never evicted for node pressure, whatever the policy for foreign pods
  // is.
  bool spared = false;
  // StopContainer kills its containers, because they must not be asked to end.
  bool kill_at_once = false;
};

// The events of a runtime, which are reported in the order in which they happened.
struct PodReady {  // volumes, groups and directories of the pod stand
  std::string pod_uid;
};
struct PodFailed {  // CreatePod failed, and everything that it had created is removed
  std::string pod_uid;
  Error error;
  bool by_others = false;  // processes that are not this pod's run in its group
};
struct ContainerStarted {
  std::string pod_uid;
  std::string container;
  int attempt = 0;
  Instant at;
};
struct ContainerStartFailed {
  std::string pod_uid;
  std::string container;
  int attempt = 0;
  StartFailure failure = StartFailure::kCreate;
  Error error;
};
struct ContainerExited {
  std::string pod_uid;
  std::string container;
  int attempt = 0;
  ContainerExit exit;
};
struct PodRemoved {  // nothing of the pod is left: process, group, mount, file
  std::string pod_uid;
};
struct PodFound {  // a foreign pod started, or a pod of an earlier agent is taken over only now
  std::string pod_uid;
  RuntimePod pod;
};
using RuntimeEvent = std::variant<PodReady, PodFailed, ContainerStarted, ContainerStartFailed,
                                  ContainerExited, PodRemoved, PodFound>;

// Runs pods. Commands return at once and never block the caller; their results arrive as events. A
// command about something that is gone is not an error: the event reports the present state.
class ContainerRuntime {
 public:
  virtual ~ContainerRuntime() = default;

  // For a runtime that does not answer: the pods that have a running process, by the agent's own
  // records and the kernel. They can be stopped, killed and removed, but nothing may be started
  // before List succeeds, which returns all pods, including these. Called at most once.
  [[nodiscard]] virtual std::vector<RuntimePod> Recall() { return {}; }
  // The pods that exist already, to be adopted. Called until it succeeds, before any pod is
  // created; fails while the runtime does not answer.
  [[nodiscard]] virtual Result<std::vector<RuntimePod>> List() = 0;

  // Creates the pod's groups, volumes and directories -> PodReady or PodFailed.
  virtual void CreatePod(const PodPlan& plan) = 0;
  // Starts one run of a container of a created pod -> ContainerStarted or ContainerStartFailed,
  // later ContainerExited.
  virtual void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                              int oom_score_adj) = 0;
  // Asks a running container to end (preStop hook, then SIGTERM) -> ContainerExited, if it ends.
  // The caller watches the time, and calls KillContainer when the grace period is over.
  virtual void StopContainer(const std::string& pod_uid, const std::string& container,
                             Duration grace) = 0;
  // Kills the container with every process that it forked -> ContainerExited.
  virtual void KillContainer(const std::string& pod_uid, const std::string& container) = 0;
  // Removes one dead run, later: its record, its log and its writable layer.
  virtual void RemoveContainer(const std::string& pod_uid, const std::string& container,
                               int attempt) = 0;
  // Whether removals by RemoveContainer are still under way, or, for some seconds, the removal of
  // pods' files that an earlier agent began. Their end makes EventFd readable.
  [[nodiscard]] virtual bool RemovingContainers() const { return false; }
  // Removes everything that is left of a pod whose containers have ended -> PodRemoved. A pod that
  // is still being created is abandoned: neither PodReady nor PodFailed need follow. Of a foreign
  // pod, only that is removed which would keep running.
  virtual void RemovePod(const std::string& pod_uid) = 0;

  // Where the files of a created pod are.
  [[nodiscard]] virtual PodDisk DiskOf(const Pod& pod) const = 0;
  // The control group of a container's present run; empty: there is none. It is a path relative to
  // the node's own group if ForeignGroupsOf returns groups for the pod, else a name directly below
  // the pod's group. The text is owned by the runtime and valid until the next command or
  // TakeEvents.
  [[nodiscard]] virtual std::string_view GroupOf(const std::string& pod_uid,
                                                 const std::string& container) const = 0;
  // The control groups that together hold a foreign pod, relative to the node's own group. They do
  // not change while the pod exists. Empty for any other pod: its group follows Kubernetes' layout.
  // Valid until the next command or TakeEvents.
  [[nodiscard]] virtual const std::vector<std::string>& ForeignGroupsOf(
      const std::string& pod_uid) const = 0;
  // Foreign pods that run and cannot be guarded, with the reason: a sentence each.
  [[nodiscard]] virtual std::vector<std::string> NotGuarded() const { return {}; }
  // Readable when TakeEvents has something.
  [[nodiscard]] virtual int EventFd() const = 0;
  [[nodiscard]] virtual std::vector<RuntimeEvent> TakeEvents() = 0;
};

// What a runtime has under a UID.
enum class UidClaim : std::uint8_t {
  kNone,     // nothing
  kRemains,  // the remains of a pod, which are being removed
  kPod,      // a pod
};

// A runtime that can be combined with foreign pods. It reports only its own pods.
class OwnRuntime : public ContainerRuntime {
 public:
  [[nodiscard]] virtual UidClaim ClaimOn(const std::string& uid) const = 0;
  // Sets what is called when the runtime has a pod of a UID from now on: a foreign pod that is
  // looked after under it is found again under another.
  virtual void OnTaken(std::function<void(const std::string& uid)> taken) = 0;
};

}  // namespace jettison
