#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/kept/kept_state.h"
#include "agent/pods/found_pods.h"
#include "agent/pods/pod_slots.h"
#include "agent/pods/pod_starts.h"
#include "agent/pods/pod_views.h"
#include "agent/pods/remembered_pods.h"
#include "agent/workers/worker_edges.h"
#include "core/config/agent_config.h"
#include "core/decide/container_gc.h"
#include "core/model/profile.h"
#include "core/model/signal.h"
#include "core/pods/pod_facts.h"
#include "core/pods/room.h"

namespace jettison {

// Every pod of the node: those that are wanted and those that still run, one place for each
// namespace and name, with a worker where something of it is on the node.
//
// A pod that is no longer wanted, or wanted otherwise, is terminated with its own grace period; the
// new one starts when nothing of the old one is left. A pod that admission refuses, or that finds
// no room among those of its own and higher priority, is Failed with the reason and asked again
// after each pass. Where room can be made for it, those of lower priority are ended and it waits
// for them. A pod that was evicted or had to make room comes back after its back-off, at most one
// between two passes (see NextToComeBack).
//
// A foreign pod is looked after as long as it is there: measured, shown, and
// evicted where the policy allows that. It is never started again.
//
// What others are given of the pods is in PodViews.
class PodTable : public PodViews {
 public:
  // `edges` must outlive this. `allocatable`: what the pods' requests may sum up to; absent: not
  // limited.
  PodTable(Profile profile, const BackoffRule& come_back_rule, WorkerEdges& edges,
           std::optional<SharedAmounts> allocatable = std::nullopt)
      : PodViews(slots_),
        profile_(profile),
        edges_(&edges),
        slots_(come_back_rule),
        found_(profile, slots_, remembered_, edges),
        starts_(profile, slots_, edges, allocatable) {}
  PodTable(const PodTable&) = delete;
  PodTable& operator=(const PodTable&) = delete;
  ~PodTable() = default;

  // What an agent before has kept of its pods; those that are adopted or wanted go on from there.
  // Before Recall and Adopt.
  void Remember(std::vector<KeptPod> pods) {
    settled_ = false;
    remembered_.Remember(std::move(pods));
  }
  // The same for the next agent.
  [[nodiscard]] std::vector<KeptPod> Kept(Instant now) const {
    return remembered_.Kept(slots_, now);
  }
  // Other numbers whenever Kept may have changed by anything but time.
  [[nodiscard]] KeptChanges changes() const { return slots_.changes(); }
  // Takes over what is known while the runtime does not answer: nothing of it is started before
  // Adopt. Before anything but Remember, and once.
  void Recall(std::vector<RuntimePod> pods, Instant now);
  // Takes over what the runtime has from before. Before anything but
  // Remember and Recall, and once.
  void Adopt(std::vector<RuntimePod> pods, Instant now);
  // What becomes of foreign pods, those found later included. Before Adopt.
  void SetAdoptPolicy(AdoptPolicy policy) { found_.SetPolicy(policy); }
  // What the pods' requests may sum up to from now on.
  void SetAllocatable(SharedAmounts allocatable) {
    settled_ = false;
    starts_.SetAllocatable(allocatable);
  }
  // What should run from now on; ends what should not, starts what may.
  void SetWanted(std::vector<Pod> pods, Instant now);
  void Handle(const RuntimeEvent& event, Instant now);
  // A pass is over, and these are the node's conditions now. While the node is `starved`, a
  // threshold is met for its whole grace period, nobody comes back: it would only be evicted again.
  void PassDone(NodeConditions conditions, Instant now, bool starved = false);
  // Does what is due by now. Where nothing is and nothing has happened, that takes no longer for a
  // thousand pods than for one.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // The machine was suspended for so long. Back-offs count that, grace periods do not.
  void PutOffEnds(Duration slept);
  // Ends every pod and starts no more.
  void StopAll(Instant now);

  // Fails a pod; false when it is ending as soon as that already. kNotFound for one that is not
  // there.
  [[nodiscard]] Result<bool> Evict(const EvictionOrder& order, Instant now);
  // Notes that a pod was evicted by this order, which somebody else carries out, and may have by
  // now; false where it was evicted already.
  [[nodiscard]] bool NoteEvicted(const EvictionOrder& order, Instant now);
  // Gives up what is left of the grace period of a pod that is ending; false where nothing is.
  bool KillNow(std::string_view uid, Instant now);
  // Kills pods again that outlived their kill, and says which these are; none mostly.
  [[nodiscard]] std::vector<SurvivorRecord> KillSurvivors(Instant now);
  // Those that exist on the node, for the collection of dead containers.
  [[nodiscard]] std::vector<PodWorker*> Workers();

  // Whether something of that pod is still on the node.
  [[nodiscard]] bool IsOnNode(std::string_view uid) const { return slots_.OfPod(uid) != nullptr; }
  // Whether nothing of a pod that was on the node is left there. While the runtime has not said
  // what it has, nobody can know that: what has ended is not recalled, and its volumes may still be
  // there.
  [[nodiscard]] bool IsCleanedUp(std::string_view uid) const {
    return !awaits_runtime_ && !IsOnNode(uid);
  }
  // How many foreign pods are only observed, by the policy, and so never evicted.
  [[nodiscard]] std::size_t CountObserved() const {
    return found_.policy() == AdoptPolicy::kObserve ? CountProtectedForeign() : 0;
  }

 private:
  void SettleAll(Instant now);
  void EndUnwanted(PodSlot& slot, Instant now);
  void Want(const std::string& name, Pod pod, Instant now);
  void StayOut(const std::string& name, PodSlot& slot, Instant now);
  [[nodiscard]] std::optional<Instant> FindDeadline() const;

  Profile profile_;
  WorkerEdges* edges_;
  PodSlots slots_;
  RememberedPods remembered_;
  FoundPods found_;
  PodStarts starts_;
  bool awaits_runtime_ = false;  // Recall was called, and Adopt was not
  bool settled_ = false;         // there is nothing to do before `due_`
  std::optional<Instant> due_;
};

}  // namespace jettison
