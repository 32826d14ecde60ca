#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/state/agent_state.h"
#include "agent/workers/container_runs.h"
#include "agent/workers/worker_dependencies.h"
#include "core/model/eviction.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/units/once.h"
#include "machine/log/event_log.h"
#include "ports/container_runtime.h"
#include "view/snapshot.h"

namespace jettison {

// Manages one admitted pod from its creation to its removal: init containers in order, sidecars,
// restarts with back-off, the end with its grace period. It never waits: the caller tells it events
// and the time, and it gives commands to the runtime. (kubelet: pkg/kubelet/pod_workers.go and
// kuberuntime's computePodActions)
//
// Where the pod ends, its containers are asked to end, regular ones first, among them those without
// a preStop hook before the others, and then sidecars. They are killed when the grace period is
// over, repeatedly while anything still runs. Then the pod's remains are removed, unless the pod
// completed by itself.
class PodWorker {
 public:
  // Everything in `dependencies` must outlive this.
  PodWorker(SharedPodFacts facts, WorkerDependencies& dependencies);

  // Begins to create an admitted pod.
  void Start(Instant now);
  // Takes the state that an earlier agent has kept. An eviction continues when the pod is taken
  // over. Must be called before Recall and Adopt.
  void Remember(const SavedPod& kept);
  // Takes over a pod by what is known of it while the runtime does not answer: it can be ended, and
  // nothing of it is started. Followed by Adopt.
  void Recall(std::vector<ContainerRecord> records, Instant now);
  // Takes over a pod that the runtime still has, instead of Start. One that is ending goes on with
  // that.
  void Adopt(std::vector<ContainerRecord> records, Instant now);
  // Evicts the pod: status Failed with reason Evicted, and its end within the order's grace period.
  // If the pod is ending already, this can only shorten the time left. Returns whether it had an
  // effect.
  bool Evict(const EvictionOrder& order, Instant now);
  // Notes that the API server carries out this eviction: no container is told to end, and the pod
  // may have ended already. False: it was evicted before.
  bool NoteEvicted(const EvictionOrder& order, Instant now);
  // Ends the grace period of an ending pod now; false: none of it is left.
  bool KillNow(Instant now);
  // Ends the pod within its own grace period, because it is no longer wanted.
  void Terminate(Instant now);
  // The machine was suspended, and with it what is to end: its grace period goes on now.
  void PutOffEnd(Duration slept);
  void Handle(const RuntimeEvent& event, Instant now);
  // Does what is due by now.
  void Advance(Instant now);
  // When Advance has something to do without any event; absent: never.
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  [[nodiscard]] PodActivity activity() const;
  // Nothing of the pod is left on the node.
  [[nodiscard]] bool IsGone() const { return std::holds_alternative<Gone>(state_); }
  [[nodiscard]] bool IsEvicted() const { return eviction_.has_value(); }
  // The runtime has not made it yet: nothing of it runs that this worker knows of.
  [[nodiscard]] bool AwaitsCreation() const { return std::holds_alternative<Creating>(state_); }
  // Whether the pod may be chosen for an eviction: it runs, it is ending with a longer grace period
  // than that of a hard eviction, or it is ending for another reason than an eviction. A pod that
  // is not created yet may be chosen as well, except where others hold its place: its end would
  // free nothing of theirs.
  [[nodiscard]] bool IsCandidate() const;
  // Whether the pod was evicted, is no candidate any more, and still holds resources.
  [[nodiscard]] bool IsEnding() const;
  // The end of its grace period; absent: it was killed, or is not ending.
  [[nodiscard]] std::optional<Instant> kill_at() const;
  // Present if the pod was killed more than once and something of it still runs: a kill may fail,
  // and a process that sleeps uninterruptibly in the kernel does not end.
  [[nodiscard]] std::optional<SurvivorRecord> Survival() const;
  // When it was evicted; only where IsEvicted.
  [[nodiscard]] Instant evicted_at() const { return eviction_->at; }
  // Since when it is on its way to give back all that it holds: what is left of it is being
  // removed, or it was killed, and that follows. Absent: it is not.
  [[nodiscard]] std::optional<Instant> removing_since() const;
  // An eviction that is being carried out, for the next agent.
  [[nodiscard]] std::optional<SavedEnding> SavedEviction() const;
  // Whether its work has ended well, for the next agent, because its runs may be removed by then;
  // absent: it has not ended by itself.
  [[nodiscard]] std::optional<bool> SavedOutcome() const;
  // Runs that have ended, all attempts that are known, for the collection of dead containers.
  [[nodiscard]] const std::vector<ContainerRecord>& dead_runs() const { return runs_.dead(); }
  // Forgets a dead run and has the runtime forget it.
  void ForgetRun(const std::string& container, int attempt);
  [[nodiscard]] const PodFacts& facts() const { return *facts_; }
  // An evicted pod counts as Failed from the decision on, however its containers end.
  [[nodiscard]] PodStatus Status(Instant now) const;

 private:
  // The runtime is to make its groups and volumes.
  struct Creating {
    Backoff backoff{kCreateRule};
    std::optional<Instant> again_at;
    std::string error;
    bool is_held_by_others = false;  // PodFailed::by_others, the last time
  };
  // Known by what an agent before had written down, and not yet by the runtime.
  struct Recalled {};
  struct Running {};
  struct Ending {
    enum class Step : std::uint8_t { kTerminating, kRemoving, kFinished };
    Step step = Step::kTerminating;
    Duration grace;
    Instant kill_at;  // the grace period is over
    Instant late_at;  // the kill is late
    bool remove;      // the pod's remains are removed, too; false for a pod that completed
    bool is_late = false;
    int kills = 0;
    Instant first_kill = {};
    Instant kill_again_at = {};  // where something lives on
    std::optional<Instant> removing_since = std::nullopt;

    [[nodiscard]] bool IsTerminating() const { return step == Step::kTerminating; }
    // Whether the pod is in its grace period and has not been killed.
    [[nodiscard]] bool AwaitsKill() const { return IsTerminating() && kills == 0; }
  };
  struct Gone {};
  using State = std::variant<Creating, Recalled, Running, Ending, Gone>;

  struct Eviction {
    EvictionOrder order;
    Instant at;
  };

  void On(const PodReady& event, Instant now);
  void On(const PodFailed& event, Instant now);
  void On(const ContainerStarted& event, Instant now);
  void On(const ContainerStartFailed& event, Instant now);
  void On(const ContainerExited& event, Instant now);
  void On(const PodRemoved& event, Instant now);
  void On(const PodFound&, Instant) {}  // it is the table's

  [[nodiscard]] bool IsHeldByOthers() const;
  // Not a foreign one, whose containers are its owner's to start.
  [[nodiscard]] bool IsOwn() const { return facts_->source == PodOrigin::kOwn; }
  void Create(Creating& creating);
  PodPlan JoinQosGroup();
  void LeaveQosGroup();
  bool ResumeEviction(Instant now);
  bool ResumeOutcome(Instant now);
  void Finish(bool well, Instant now);
  void Sync(Instant now);
  void StartRun(ContainerLifecycle& run);
  void BeginEnding(Duration grace, bool remove, Instant now);
  void AdvanceEnding(Instant now);
  void StopNext(Ending& end, Instant now);
  void KillAlive(Ending& end, Instant now);
  void Remove(Ending& end, Instant now);
  // Null: it is not ending.
  [[nodiscard]] Ending* ending() { return std::get_if<Ending>(&state_); }
  [[nodiscard]] const Ending* ending() const { return std::get_if<Ending>(&state_); }
  // The pod was admitted, or found; the first time counts.
  void BeginStatus(Instant now) {
    if (!start_time_) start_time_ = now;
  }
  [[nodiscard]] PodPhase Phase() const;
  // To be called whenever the conditions of the status may have changed.
  void UpdateStatus(Instant now);
  void Report(EventType type, const char* reason, std::string message, Instant now) const;

  SharedPodFacts facts_;
  WorkerDependencies* dependencies_;
  State state_;
  ContainerRuns runs_;
  bool initialized_ = false;  // every init container has done its part
  bool failed_ = false;       // it ended badly by itself
  Once running_counted_;      // a regular container has started, or was found
  std::optional<Eviction> eviction_;
  std::optional<Instant> start_time_;
  PodStatus conditions_;  // only its conditions, which remember when they last changed
  // Of an agent before, until they are resumed.
  std::optional<SavedEnding> saved_ending_;
  std::optional<bool> saved_outcome_;
};

}  // namespace jettison
