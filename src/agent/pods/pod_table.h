#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/pods/pod_slot.h"
#include "agent/state/agent_state.h"
#include "agent/workers/worker_dependencies.h"
#include "apply/pass.h"
#include "core/config/agent_config.h"
#include "core/decide/garbage_collection.h"
#include "core/model/choices.h"
#include "core/model/eviction.h"
#include "core/model/runtime_records.h"
#include "core/model/signal.h"
#include "core/pods/admission.h"
#include "core/pods/pod_facts.h"
#include "core/units/result.h"
#include "ports/container_runtime.h"
#include "view/snapshot.h"

namespace jettison {

// A pod that was evicted and is not gone yet. It cannot be chosen again.
struct EndingPod {
  const PodFacts* facts = nullptr;
  Instant evicted_at;
  std::optional<Instant> kill_at;  // absent: it was killed, or has ended by itself
  friend bool operator==(const EndingPod&, const EndingPod&) = default;
};

// Whether pods that have ended keep their dead containers.
enum class ForgetOf : bool { kRestartingPodsOnly, kEndedPodsToo };

// Every pod of the node: those that are wanted and those that still run, one place for each
// namespace and name, with a worker where something of it is on the node.
//
// A pod that is no longer wanted, or wanted with another specification, is terminated with its own
// grace period; its replacement starts when nothing of it is left. A pod that admission refuses, or
// that does not fit besides the pods of its own and higher priority, is Failed with the reason, and
// is tried again after each pass. If preemption makes it fit, pods of lower priority are ended and
// it waits for them. A pod that was evicted or preempted is started again after its back-off, at
// most one between two passes (see NextToComeBack). No foreign pod is preempted, because nobody
// would start it again, and in a dry run none is.
//
// A foreign pod is measured and shown while it exists, and is evicted if the policy allows that. It
// is never started again.
class PodTable : public PodKiller {
 public:
  // `dependencies` must outlive this. `allocatable`: what the pods' requests may sum up to; absent:
  // not limited.
  PodTable(Profile profile, const BackoffRule& come_back_rule, WorkerDependencies& dependencies,
           std::optional<SharedAmounts> allocatable = std::nullopt)
      : dependencies_(&dependencies),
        profile_(profile),
        come_back_rule_(come_back_rule),
        allocatable_(allocatable) {}
  PodTable(const PodTable&) = delete;
  PodTable& operator=(const PodTable&) = delete;
  ~PodTable() override = default;

  // Takes the state of pods that an earlier agent has kept; pods that are adopted or wanted
  // continue from it. Must be called before Recall and Adopt.
  void Remember(std::vector<SavedPod> pods) {
    settled_ = false;
    for (SavedPod& pod : pods) {
      std::string name = pod.name;
      remembered_.insert_or_assign(std::move(name), std::move(pod));
    }
  }
  // The same for the next agent.
  [[nodiscard]] std::vector<SavedPod> Saved(Instant now) const;
  // Other numbers whenever Saved may have changed by anything but time.
  [[nodiscard]] StateChanges changes() const { return changes_; }
  // Takes over the pods that are known while the runtime does not answer. Nothing of them is
  // started before Adopt. Must be called at most once, and before everything except Remember.
  void Recall(std::vector<RuntimePod> pods, Instant now);
  // Takes over the pods that the runtime already has. Must be called once, and before everything
  // except Remember and Recall.
  void Adopt(std::vector<RuntimePod> pods, Instant now);
  // Sets the policy for foreign pods, including those found later. Must be called before Adopt.
  void SetAdoptPolicy(AdoptPolicy policy) { adopt_ = policy; }
  // What the pods' requests may sum up to from now on.
  void SetAllocatable(SharedAmounts allocatable) {
    settled_ = false;
    allocatable_ = allocatable;
  }
  // Sets the pods that should run. Ends the others, and starts those that may start.
  void SetWanted(const std::vector<SharedPodFacts>& pods, Instant now);
  void Handle(const RuntimeEvent& event, Instant now);
  // A pass is over, with these conditions of the node. While the node is `starved` (a threshold is
  // met for its whole grace period), no evicted pod is started again, because it would only be
  // evicted again.
  void PassDone(NodeConditions conditions, Instant now, bool starved = false);
  // Does what is due by now. Where nothing is and nothing has happened, that takes no longer for a
  // thousand pods than for one.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // The machine was suspended for so long. Back-offs count that, grace periods do not.
  void PutOffEnds(Duration slept);
  // Ends every pod and starts no more.
  void StopAll(Instant now);

  // Evicts a pod, or asks first where the order is for a soft threshold, somebody has to grant
  // that, and has not left it to the agent. A dry run evicts nobody. kWasEnding: no effect, because
  // it was evicted already and ends at least as soon, or because its containers have ended.
  // kNotFound: it is not on the node.
  [[nodiscard]] Result<EvictOutcome> Evict(const EvictionOrder& order, Instant now) override;
  // Notes that the API server carries out this eviction, and may have done so. False: the pod was
  // evicted already.
  [[nodiscard]] bool NoteEvicted(const EvictionOrder& order, Instant now);
  // Whether the pod is on the node and must not be asked to end (RuntimePod::kill_at_once).
  [[nodiscard]] bool KillsAtOnce(std::string_view uid) const;
  // Kills a pod that is ending before the end of its grace period. False: none of it is left.
  bool KillNow(std::string_view uid, Instant now);
  // Pods of which something still runs after their kill.
  [[nodiscard]] std::vector<SurvivorRecord> Survivors() const;
  // Removes the dead containers that are not kept (ContainersToRemove). Returns how many.
  std::size_t ForgetDeadContainers(ForgetOf which);

  // Whether something of that pod is still on the node.
  [[nodiscard]] bool IsOnNode(std::string_view uid) const { return OfPod(uid) != nullptr; }
  // Whether nothing of the pod is left on the node. False until the runtime has listed its pods,
  // because pods that have ended are not recalled, and their volumes may still exist.
  [[nodiscard]] bool IsCleanedUp(std::string_view uid) const {
    return !awaits_runtime_ && !IsOnNode(uid);
  }
  // The number of foreign pods that are only observed by the policy, and so are never evicted.
  [[nodiscard]] std::size_t CountObserved() const;

  // The pods that an eviction could choose: they take up resources and ending them would bring
  // these back. By namespace and name.
  [[nodiscard]] std::vector<SharedPodFacts> Active() const;
  // Their facts are valid until the next change.
  [[nodiscard]] std::vector<EndingPod> Ending() const;
  // Whether the removal of a pod's remains has begun recently, or a pod that is to be removed was
  // killed, so that its space will soon be free.
  // A removal that takes longer than kRemovalTakes does not count, because it may never end.
  [[nodiscard]] bool AnyIsBeingRemoved(Instant now) const;
  // Whether there is a foreign pod.
  [[nodiscard]] bool AnyForeign() const;
  // Whether a pod of this agent, not a foreign one, is on the node.
  [[nodiscard]] bool AnyOnNode() const;
  // "namespace/name" of a pod on the node, or of a foreign one that is gone lately; else the UID.
  [[nodiscard]] std::string NameOfPod(std::string_view uid) const;
  // The images of wanted pods, running or not, that could not be fetched again because their pull
  // policy is Never. The names are those of the manifests.
  [[nodiscard]] std::vector<std::string> ImagesThatStay() const;
  // The standing of all pods, including wanted pods that are not on the node.
  [[nodiscard]] PodsForGc StandingForGc() const;
  // Every pod, without figures, by namespace and name.
  [[nodiscard]] std::vector<PodView> Views(Instant now) const;

 private:
  // The slot of the pod on the node with this UID; null: it is not on the node.
  [[nodiscard]] PodSlot* OfPod(std::string_view uid);
  [[nodiscard]] const PodSlot* OfPod(std::string_view uid) const;
  // Makes the slot where there is none.
  [[nodiscard]] PodSlot& At(const std::string& name) {
    return slots_.try_emplace(name, come_back_rule_).first->second;
  }
  // The runtime finds a foreign pod again under another UID when a pod of this agent takes it.
  void LoseForeign(std::string_view uid);
  void NoteEviction(PodSlot& slot);
  [[nodiscard]] bool IsAwaited(const SavedPod& pod, Instant now) const;
  // Of those that exist on the node.
  [[nodiscard]] std::vector<PodWorker*> Workers() const;
  void Take(RuntimePod pod, Instant now);
  // Puts a pod that the runtime already has into a slot: one from before the agent's start, or a
  // foreign one.
  [[nodiscard]] PodWorker& Enter(RuntimePod& pod, Instant now);
  [[nodiscard]] std::optional<SavedPod> TakeRemembered(const std::string& name,
                                                       std::string_view uid);
  [[nodiscard]] std::optional<SavedPod> SavedOf(const std::string& name, const RuntimePod& pod,
                                                Instant now);
  void ForgetWorkerOf(std::string_view uid);
  void SettleAll(Instant now);
  void EndUnwanted(PodSlot& slot, Instant now);
  void Want(const std::string& name, const SharedPodFacts& facts, Instant now);
  void StayOut(const std::string& name, PodSlot& slot, Instant now);
  void StartIfMay(PodSlot& slot, Instant now);
  void Start(PodSlot& slot, Instant now);
  void Refuse(PodSlot& slot, AdmissionAnswer answer, Instant now);
  [[nodiscard]] bool HasRoom(PodSlot& slot, Instant now);
  void WaitInDryRun(PodSlot& slot, const std::vector<PodSlot*>& give_way);
  void GiveWay(OnNode& pod, const PodFacts& to, Instant now);
  [[nodiscard]] std::vector<WaitingPod> Waiting() const;
  void ComeBack(Instant now);
  // When ComeBack has something to do without any event; absent: never.
  [[nodiscard]] std::optional<Instant> NextComeBack() const;
  [[nodiscard]] std::optional<Instant> FindDeadline() const;

  WorkerDependencies* dependencies_;
  Profile profile_;
  AdoptPolicy adopt_ = AdoptPolicy::kObserve;  // of foreign pods
  BackoffRule come_back_rule_;                 // of evicted pods
  std::map<std::string, PodSlot, std::less<>> slots_;
  // Foreign pods that are gone lately, for reports about them: UID and name, the newest last.
  std::deque<std::pair<std::string, std::string>> gone_;
  bool sources_ready_ = false;  // the wanted pods have been reported
  StateChanges changes_;        // of what is kept for the next agent
  // Of an earlier agent, by namespace/name, until the pods are adopted or wanted again.
  std::map<std::string, SavedPod, std::less<>> remembered_;
  std::optional<SharedAmounts> allocatable_;
  NodeConditions conditions_;
  bool starved_ = false;         // in the last pass
  bool came_back_ = false;       // a pod has, since the last pass
  bool stopping_ = false;        // no pod is started any more
  bool awaits_runtime_ = false;  // Recall was called, and Adopt was not
  bool settled_ = false;         // there is nothing to do before `due_`
  std::optional<Instant> due_;
};

}  // namespace jettison
