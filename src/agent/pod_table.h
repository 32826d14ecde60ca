#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/come_back.h"
#include "agent/kept_state.h"
#include "agent/pod_worker.h"
#include "agent/snapshot.h"
#include "config/agent_config.h"
#include "decide/container_gc.h"
#include "decide/pod_facts.h"
#include "decide/room.h"
#include "model/profile.h"
#include "model/signal.h"

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
// A pod that somebody else runs is looked after as long as it is there: measured, shown, and
// evicted where the policy allows that. It is never started again.
class PodTable {
 public:
  // `edges` must outlive this. `allocatable`: what the pods' requests may sum up to; absent: not
  // limited.
  PodTable(Profile profile, const BackoffRule& come_back_rule, WorkerEdges& edges,
           std::optional<SharedAmounts> allocatable = std::nullopt)
      : profile_(profile),
        come_back_rule_(come_back_rule),
        edges_(&edges),
        allocatable_(allocatable) {}

  // What an agent before has kept of its pods; those that are adopted or wanted go on from there.
  // Before Recall and Adopt.
  void Remember(std::vector<KeptPod> pods);
  // The same for the next agent.
  [[nodiscard]] std::vector<KeptPod> Kept(Instant now) const;
  // Another number whenever Kept may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  // Takes over what is known while the runtime does not answer: nothing of it is started before
  // Adopt. Before anything but Remember, and once.
  void Recall(std::vector<RuntimePod> pods, Instant now);
  // Takes over what the runtime has from before. Before anything but
  // Remember and Recall, and once.
  void Adopt(std::vector<RuntimePod> pods, Instant now);
  // What becomes of somebody else's pods, those found later included. Before Adopt.
  void SetAdoptPolicy(AdoptPolicy policy) { adopt_ = policy; }
  // What the pods' requests may sum up to from now on.
  void SetAllocatable(SharedAmounts allocatable) { allocatable_ = allocatable; }
  // What should run from now on; ends what should not, starts what may.
  void SetWanted(std::vector<Pod> pods, Instant now);
  void Handle(const RuntimeEvent& event, Instant now);
  // A pass is over, and these are the node's conditions now. While the node is `starved`, a
  // threshold is met for its whole grace period, nobody comes back: it would only be evicted again.
  void PassDone(NodeConditions conditions, Instant now, bool starved = false);
  // Does what is due by now.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // The machine was suspended for so long. Back-offs count that, grace periods do not.
  void PutOffEnds(Duration slept);
  // Ends every pod and starts no more.
  void StopAll(Instant now);

  // The pods that an eviction could choose: they take up resources and ending them would bring
  // these back. By namespace and name; valid until the next change.
  [[nodiscard]] const std::vector<const PodFacts*>& Active() const;
  // The same pods, kept alive, by namespace and name: those of `pods` that are still there.
  [[nodiscard]] std::vector<std::shared_ptr<const PodFacts>> Keep(
      const std::vector<const PodFacts*>& pods) const;
  // Fails a pod; false when it is ending as soon as that already. kNotFound for one that is not
  // there.
  [[nodiscard]] Result<bool> Evict(const EvictionOrder& order, Instant now);
  // Gives up what is left of the grace period of a pod that is ending; false where nothing is.
  bool KillNow(std::string_view uid, Instant now);
  // Pods that were evicted and are about to be gone: they could not be chosen any more. Valid until
  // the next change.
  struct EndingPod {
    const PodFacts* facts = nullptr;
    Instant evicted_at;
    std::optional<Instant> kill_at;  // absent: it was killed, or has ended by itself
    friend bool operator==(const EndingPod&, const EndingPod&) = default;
  };
  [[nodiscard]] const std::vector<EndingPod>& Ending() const;
  // Kills pods again that outlived their kill, and says which these are; none mostly.
  [[nodiscard]] std::vector<SurvivorRecord> KillSurvivors(Instant now);
  // Whether something of that pod is still on the node.
  [[nodiscard]] bool IsOnNode(std::string_view uid) const;
  // Whether what is left of a pod has begun to be removed lately, so that the space it took is
  // about to come back. One that takes longer than some seconds may never be gone.
  [[nodiscard]] bool AnyIsBeingRemoved(Instant now) const;
  // Pods of our own; somebody else's do not count.
  [[nodiscard]] bool AnyOnNode() const;
  // How many pods of somebody else are only observed, by the policy, and so never evicted.
  [[nodiscard]] std::size_t CountObserved() const;
  // "namespace/name" of a pod on the node, or the UID itself where there is none.
  [[nodiscard]] std::string NameOfPod(std::string_view uid) const;
  // Images of pods that are wanted, running or not, and could not be had again: those that are
  // never pulled. The names that the manifests give them.
  [[nodiscard]] std::vector<std::string> ImagesThatStay() const;
  // Those that exist on the node, for the collection of dead containers.
  [[nodiscard]] std::vector<PodWorker*> Workers();
  // How all pods stand, those included that are wanted and not on the node.
  [[nodiscard]] PodsForGc StandingForGc() const;
  // Every pod, without figures, by namespace and name.
  [[nodiscard]] std::vector<PodView> Views(Instant now) const;

 private:
  struct Slot {
    std::shared_ptr<const PodFacts> wanted;  // null: nobody wants it
    std::shared_ptr<const PodFacts> facts;   // of the worker
    std::unique_ptr<PodWorker> worker;       // null: nothing of it is on the node
    Instant started_at;                      // of the worker
    Backoff come_back;
    std::optional<Instant> comes_back_at;  // set: it was evicted and is not back
    std::optional<PodStatus> rest;         // its status while it has no worker
    int evictions = 0;
    bool returns = false;      // it ran here, and starts again under the same UID
    bool foreign = false;      // somebody else's pod
    std::string refused_for;   // the reason, where it may not start
    bool awaits_room = false;  // others are ending to make room for it

    explicit Slot(const BackoffRule& rule) : come_back(rule) {}
  };
  using Slots = std::map<std::string, Slot, std::less<>>;

  Slot& At(const std::string& name);
  Slot* AddFound(RuntimePod& pod, Instant now);
  void AdoptOne(RuntimePod pod, Instant now);
  [[nodiscard]] std::optional<KeptPod> TakeRemembered(const std::string& name,
                                                      std::string_view uid);
  void StayOut(const std::string& name, Slot& slot, Instant now);
  [[nodiscard]] bool IsAwaited(const KeptPod& pod, Instant now) const;
  [[nodiscard]] static std::optional<KeptPod> KeptOf(const std::string& name, const Slot& slot);
  void SettleAll(Instant now);
  void EndUnwanted(Slot& slot, Instant now);
  void BuryWorker(Slot& slot, Instant now);
  void StartIfMay(Slot& slot, Instant now);
  void LoseForeign(std::string_view uid);
  void ForgetWorkerOf(std::string_view uid);
  void Start(Slot& slot, Instant now);
  void Refuse(Slot& slot, std::string reason, std::string message, Instant now);
  [[nodiscard]] static bool TakesUpRoom(const Slot& slot);
  [[nodiscard]] static Occupant OccupantOf(const Slot& slot);
  [[nodiscard]] bool HasRoom(Slot& slot, Instant now);
  void GiveWay(Slot& slot, const Slot& to, Instant now);
  [[nodiscard]] std::vector<WaitingPod> Waiting() const;
  void ComeBack(Instant now);
  [[nodiscard]] Slot* SlotOf(std::string_view uid);
  [[nodiscard]] const Slot* SlotOf(std::string_view uid) const;
  [[nodiscard]] static PodView ViewOf(const Slot& slot, Instant now);

  Profile profile_;
  BackoffRule come_back_rule_;
  WorkerEdges* edges_;
  std::optional<SharedAmounts> allocatable_;
  Slots slots_;  // by namespace/name
  std::map<std::string, KeptPod, std::less<>>
      remembered_;  // by the same, nobody has asked for them
  std::uint64_t changes_ = 0;
  NodeConditions conditions_;
  AdoptPolicy adopt_ = AdoptPolicy::kObserve;
  bool told_wanted_ = false;  // SetWanted has been called
  bool stopping_ = false;
  bool came_back_ = false;  // since the last pass
  bool starved_ = false;    // in the last pass
  mutable std::vector<const PodFacts*> active_;
  mutable std::vector<EndingPod> ending_;
};

}  // namespace jettison
