#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/container_lifecycle.h"
#include "agent/event_log.h"
#include "agent/log.h"
#include "agent/node_counters.h"
#include "agent/pod_status.h"
#include "agent/snapshot.h"
#include "decide/pod_facts.h"
#include "model/eviction_order.h"
#include "pod_host/cgroup_layout.h"
#include "ports/container_runtime.h"

namespace jettison {

// What a worker touches besides its own state.
struct WorkerEdges {
  ContainerRuntime& runtime;
  EventLog& events;
  const Log& log;
  std::uint64_t memory_capacity_bytes = 0;  // of the node, for oom_score_adj
  BackoffRule restart_rule = kRestartRule;
  pod_host::LimitSettings limit_settings = {};
  PodCounters counters = {};  // of all pods
};

// What lives on of a pod although it was killed.
struct Survival {
  Instant since;  // the first kill
  int kills = 0;
};

// How long a kill may take before it is called late: half as long again as the grace period, at
// least 10 s. (kubelet: killPodNow)
[[nodiscard]] Duration KillTimeout(Duration grace);

// Leads one admitted pod from its creation to its removal: init containers in order, side-cars,
// restarts with back-off, the end with its grace period. It never waits: it is told of events and
// of the time, and gives the runtime its orders. (kubelet: pkg/kubelet/pod_workers.go and
// kuberuntime's computePodActions)
class PodWorker {
 public:
  // `facts` and everything in `edges` must outlive this.
  PodWorker(const PodFacts& facts, WorkerEdges& edges);

  // Begins to create an admitted pod.
  void Start(Instant now);
  // What an agent before knew of it: its eviction goes on when it is taken over, the back-offs of
  // its containers when the runtime has told all. Before Recall and Adopt.
  void Remember(const KeptPod& kept);
  // Takes over a pod by what is known of it while the runtime does not answer: it can be ended, and
  // nothing of it is started. Followed by Adopt.
  void Recall(std::vector<ContainerRecord> records, Instant now);
  // Takes over a pod that the runtime still has, instead of Start. One that is ending goes on with
  // that.
  void Adopt(std::vector<ContainerRecord> records, Instant now);
  // Fails the pod: status Failed, reason Evicted, and the end within the order's grace period. On a
  // pod that is ending already it can only shorten the time left; then it tells whether it did.
  bool Evict(const EvictionOrder& order, Instant now);
  // Gives up what is left of the grace period of a pod that is ending; false where nothing is.
  bool KillNow(Instant now);
  // Ends the pod within its own grace period, because nobody wants it any more.
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
  [[nodiscard]] bool IsGone() const { return state_ == State::kGone; }
  [[nodiscard]] bool IsEvicted() const { return eviction_.has_value(); }
  // The runtime has not made it yet: nothing of it runs that this worker knows of.
  [[nodiscard]] bool AwaitsCreation() const { return state_ == State::kCreating; }
  // It takes up resources and ending it would bring them back: running, or ending in no hurry (a
  // grace period longer than that of a hard eviction) or for another reason than an eviction.
  [[nodiscard]] bool IsCandidate() const;
  // It was evicted, is no candidate any more, and holds what it has not given back yet.
  [[nodiscard]] bool IsEnding() const;
  // The end of its grace period; absent: it was killed, or is not ending.
  [[nodiscard]] std::optional<Instant> kill_at() const;
  // Present where it was killed more than once and something of it lives: a kill may fail, and what
  // sleeps in the kernel does not end before that lets it go.
  [[nodiscard]] std::optional<Survival> survival() const;
  // Kills what survives again, sooner than the worker would by itself, but no more often than once
  // a second.
  void KillSurvivor(Instant now);
  // When it was evicted; only where IsEvicted.
  [[nodiscard]] Instant evicted_at() const { return evicted_at_; }
  // Since when what is left of it is being removed; absent: it is not.
  [[nodiscard]] std::optional<Instant> removing_since() const { return removing_since_; }
  // An eviction that is being carried out, and back-offs of containers, for the next agent.
  [[nodiscard]] std::optional<KeptEnding> KeptEviction() const;
  [[nodiscard]] std::vector<KeptRun> KeptRuns() const;
  // Runs that have ended, all attempts that are known, for the collection of dead containers.
  [[nodiscard]] const std::vector<ContainerRecord>& dead_runs() const { return dead_runs_; }
  // Forgets a dead run and has the runtime forget it.
  void ForgetRun(const std::string& container, int attempt);
  [[nodiscard]] const PodFacts& facts() const { return *facts_; }
  [[nodiscard]] PodStatus Status(Instant now) const;

 private:
  enum class State : std::uint8_t {
    kCreating,
    kRecalled,
    kRunning,
    kTerminating,
    kRemoving,
    kFinished,
    kGone,
  };
  struct Ending {
    Duration grace{0};
    Instant kill_at;         // the grace period is over
    Instant timeout_at;      // the kill is late
    int kills = 0;           // how often it was killed
    Instant first_kill;      // the first of them
    Instant last_kill;       // the last
    Instant kill_again_at;   // where something lives on
    Duration next_pause{0};  // after that one
    bool late = false;
    bool remove = true;  // what is left goes too; not for a pod that completed
  };

  void On(const PodReady& event, Instant now);
  void On(const PodFailed& event, Instant now);
  void On(const ContainerStarted& event, Instant now);
  void On(const ContainerStartFailed& event, Instant now);
  void On(const ContainerExited& event, Instant now);
  void On(const PodRemoved& event, Instant now);
  void On(const PodFound&, Instant) {}  // it is the table's

  void Create();
  void TakeRecords(std::vector<ContainerRecord> records);
  void ResumeRuns(Instant now);
  bool ResumeEviction(Instant now);
  void Sync(Instant now);
  [[nodiscard]] bool SyncInit(Instant now);
  void StartIfDue(ContainerLifecycle& run, Instant now);
  void BeginEnding(Duration grace, bool remove, Instant now);
  void AdvanceEnding(Instant now);
  void StopNext(Instant now);
  void Stop(ContainerLifecycle& run, Instant now);
  void KillAlive(Instant now);
  void ReportLateKill(Instant now);
  void EndingDone(Instant now);
  void Remove(Instant now);
  [[nodiscard]] bool AnyAlive() const;
  [[nodiscard]] PodPhase Phase() const;
  [[nodiscard]] ContainerLifecycle* Find(const std::string& container, int attempt);
  void CountRunning(Instant now);
  void Tell(EventType type, const char* reason, std::string message, Instant now);
  void UpdateConditions(Instant now);

  const PodFacts* facts_;
  WorkerEdges* edges_;
  State state_ = State::kCreating;
  std::vector<ContainerLifecycle> runs_;  // init containers first, each in the order of the spec
  bool initialized_ = false;              // every init container has done its part
  bool failed_ = false;                   // it ended badly by itself
  bool counted_running_ = false;          // a regular container has started, or was found
  std::optional<EvictionOrder> eviction_;
  Instant evicted_at_;
  std::optional<Ending> ending_;
  std::optional<Instant> removing_since_;
  Backoff create_backoff_{kCreateRule};
  std::optional<Instant> create_again_at_;
  std::string create_error_;
  std::optional<Instant> start_time_;
  std::vector<ContainerRecord> dead_runs_;
  // Of an agent before, until they are resumed.
  std::optional<KeptEnding> kept_ending_;
  std::vector<KeptRun> kept_runs_;
  PodStatus conditions_;  // only its conditions
};

}  // namespace jettison
