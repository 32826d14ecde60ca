#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/container_record.h"
#include "core/model/pod.h"
#include "core/model/pod_origin.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/pod_disk.h"
#include "ports/pod_plan.h"

namespace jettison {

// What is being removed counts as space that is about to come back for so long: what takes longer
// may never be gone.
inline constexpr Duration kRemovalTakes = std::chrono::seconds(10);

// A pod that the runtime has: from before the agent started, or made by somebody else.
struct RuntimePod {
  Pod pod;                                  // as it was created, or as far as it can be told
  std::vector<ContainerRecord> containers;  // every run it remembers
  // Somebody else's: it may be ended, but is never started again, and its owner removes it.
  bool foreign = false;
  PodOrigin origin = PodOrigin::kRuntime;  // of a foreign one: who made it
  // This agent's own, of which something cannot be read: it is dealt with as a foreign one, and
  // may be evicted whatever becomes of those. PodFound tells of it once more when it can be read.
  bool unread = false;
  // It is measured, and never evicted for the node's sake.
  bool spared = false;
};

// What a runtime tells, in the order it happened.
struct PodReady {  // volumes, groups and directories of the pod stand
  std::string pod_uid;
};
struct PodFailed {  // CreatePod could not finish; what it had made is gone again
  std::string pod_uid;
  Error error;
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
struct PodFound {  // somebody else has started it, or one of this agent can be read now
  std::string pod_uid;
  RuntimePod pod;
};
using RuntimeEvent = std::variant<PodReady, PodFailed, ContainerStarted, ContainerStartFailed,
                                  ContainerExited, PodRemoved, PodFound>;

// Runs pods. Commands return at once and never block the caller; what becomes of them arrives as
// events. A command about something that is gone is not an error: the event says how things stand.
class ContainerRuntime {
 public:
  virtual ~ContainerRuntime() = default;

  // Whether the runtime answers; the eviction loop starts after the first success.
  [[nodiscard]] virtual Result<void> Ready() = 0;
  // Where it does not answer: the pods of which something runs, as far as the agent's own records
  // and the kernel tell. They can be stopped, killed and removed; nothing is to be started before
  // List, which tells all there is, these included. Called once at most, and before List.
  [[nodiscard]] virtual std::vector<RuntimePod> Recall() { return {}; }
  // What is there already, to be adopted. Called until it succeeds, before anything is created.
  [[nodiscard]] virtual Result<std::vector<RuntimePod>> List() = 0;

  // Groups, volumes, directories -> PodReady or PodFailed.
  virtual void CreatePod(const PodPlan& plan) = 0;
  // Starts one run of a container of a created pod -> ContainerStarted or ContainerStartFailed,
  // later ContainerExited.
  virtual void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                              int oom_score_adj) = 0;
  // Asks a running container to end (preStop hook, then TERM) -> ContainerExited, some day. The
  // caller keeps the time and calls KillContainer when the grace period is over.
  virtual void StopContainer(const std::string& pod_uid, const std::string& container,
                             Duration grace) = 0;
  // Ends it with everything it forked -> ContainerExited.
  virtual void KillContainer(const std::string& pod_uid, const std::string& container) = 0;
  // Forgets one dead run: its record, log and writable layer, some time later.
  virtual void RemoveContainer(const std::string& pod_uid, const std::string& container,
                               int attempt) = 0;
  // Whether some of that is still there, as far as the runtime knows, or files of pods that an
  // agent before began to remove, for some seconds; the end of it makes EventFd readable.
  [[nodiscard]] virtual bool RemovingContainers() const { return false; }
  // Takes down everything that is left of a pod whose containers have ended -> PodRemoved. One that
  // is still being created is given up: after this neither PodReady nor PodFailed need come. Of
  // a foreign pod nothing is removed but what would keep running.
  virtual void RemovePod(const std::string& pod_uid) = 0;

  // The agent is about to end: no more pods or containers are begun, without a word; everything
  // else goes on.
  virtual void Drain() {}
  // Something is being made that would be left half made if the agent ended now.
  [[nodiscard]] virtual bool IsMaking() const { return false; }

  // Where the files of a created pod are.
  [[nodiscard]] virtual PodDisk DiskOf(const Pod& pod) const = 0;
  // The name of the control group of a container's present run, directly below its pod's group, or
  // from the node's own group where ForeignGroupsOf has the pod; empty: there is none. The text is
  // the runtime's, and stays until the next command or TakeEvents.
  [[nodiscard]] virtual std::string_view GroupOf(const std::string& pod_uid,
                                                 const std::string& container) const = 0;
  // The control groups that together hold a foreign pod, from the node's own group, the same
  // as long as the pod is there. Empty for any other pod: its group lies in Kubernetes' layout.
  // They stay until the next command or TakeEvents.
  [[nodiscard]] virtual const std::vector<std::string>& ForeignGroupsOf(
      const std::string& pod_uid) const = 0;
  // Readable when TakeEvents has something.
  [[nodiscard]] virtual int EventFd() const = 0;
  [[nodiscard]] virtual std::vector<RuntimeEvent> TakeEvents() = 0;
};

}  // namespace jettison
