#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/workers/backoff.h"
#include "core/model/pod.h"
#include "core/model/runtime_records.h"
#include "core/pods/start_failure.h"
#include "view/snapshot.h"

namespace jettison {

// Exit code of a run that could not even be started, as in the kubelet ("StartError").
inline constexpr int kStartErrorExitCode = 128;

// One container of a pod over its runs: the present run, and how the earlier runs ended. It only
// keeps the state; the pod's worker makes the decisions.
class ContainerLifecycle {
 public:
  enum class Phase : std::uint8_t {
    kWaiting,   // never started, or no container could be made for its next run
    kStarting,  // the runtime was told to start it
    kRunning,
    kExited,  // ended, or its program could not be run
  };

  // `spec` must outlive this; `init`: it is one of the pod's init containers; `policy`: the pod's.
  ContainerLifecycle(const Container& spec, bool init, RestartPolicy policy,
                     const BackoffRule& restart_rule)
      : spec_(&spec), init_(init), policy_(policy), backoff_(restart_rule) {}

  // The runtime has been told to start the next run; returns that run's attempt.
  int BeginStart();
  void Started(Instant at);
  void StartFailed(StartError error, Instant at);
  void Exited(const ContainerExit& exit);
  // Is to run once more, as in a new pod. Its attempts go on.
  void BeginAnew();
  // Takes up a run that the runtime remembers; called in the order of attempts.
  void Adopt(const ContainerRecord& record);
  [[nodiscard]] const Container& spec() const { return *spec_; }
  [[nodiscard]] bool is_init() const { return init_; }
  [[nodiscard]] bool IsSidecar() const { return init_ && spec_->IsSidecar(); }
  [[nodiscard]] Phase phase() const { return phase_; }
  // It runs or is about to.
  [[nodiscard]] bool IsAlive() const {
    return phase_ == Phase::kStarting || phase_ == Phase::kRunning;
  }
  [[nodiscard]] bool WasStarted() const { return attempt_ >= 0; }
  // The same, since the machine was started and the pod's sandbox was made.
  [[nodiscard]] bool WasStartedInThisLife() const { return WasStarted() && !of_earlier_life_; }
  // It runs, or a run of it has ended.
  [[nodiscard]] bool HasRun() const { return phase_ == Phase::kRunning || exit_.has_value(); }
  // Ended with exit code 0.
  [[nodiscard]] bool Succeeded() const { return phase_ == Phase::kExited && exit_->exit_code == 0; }
  [[nodiscard]] int attempt() const { return attempt_; }
  [[nodiscard]] Instant started_at() const { return started_at_; }  // where it has started
  [[nodiscard]] const std::optional<ContainerExit>& exit() const { return exit_; }
  // When it may be started again: after an exit, and after a start for which no container could be
  // made.
  [[nodiscard]] Instant restart_at() const { return restart_at_; }
  // Whether time alone brings its next start.
  [[nodiscard]] bool AwaitsRestart() const;
  [[nodiscard]] bool IsDue(Instant now) const;
  // Whether it will be started again, should it be left to the pod's policy.
  [[nodiscard]] bool Restarts() const;
  // Its work is done, well or not.
  [[nodiscard]] bool IsDone() const { return phase_ == Phase::kExited && !Restarts(); }
  [[nodiscard]] ContainerStatus Status(bool initialized, Instant now) const;

  bool stop_sent = false;  // the worker's note while the pod ends

 private:
  // After `start_error_`.
  [[nodiscard]] ContainerWaiting WaitsAfterFailure() const;
  [[nodiscard]] ContainerState State(bool initialized, Instant now) const;

  const Container* spec_;
  bool init_;
  RestartPolicy policy_;
  Phase phase_ = Phase::kWaiting;
  int attempt_ = -1;
  bool of_earlier_life_ = false;  // that attempt
  Instant started_at_;
  std::optional<ContainerExit> exit_;        // of the last run that ended
  std::optional<ContainerExit> last_state_;  // of the one before the current one
  std::optional<StartError> start_error_;    // of the last start
  Backoff backoff_;
  Backoff create_backoff_{kCreateRule};
  Instant restart_at_;
};

// The actions that are due for a running pod.
struct PodActions {
  std::vector<ContainerLifecycle*> start;  // containers that are due
  bool initialized = false;                // all init containers are complete, sidecars started
  std::optional<bool> ends_well;           // present: the pod has ended; whether it succeeded
};

// The containers of one pod, init containers first, each in the order of the spec, and the runs of
// them that have ended.
class ContainerRuns {
 public:
  // `pod` must outlive this.
  ContainerRuns(const Pod& pod, const BackoffRule& restart_rule);

  [[nodiscard]] std::vector<ContainerLifecycle>& all() { return runs_; }
  [[nodiscard]] const std::vector<ContainerLifecycle>& all() const { return runs_; }
  // Null where the container is at another attempt, or is none of the pod's.
  [[nodiscard]] ContainerLifecycle* Find(const std::string& container, int attempt);
  [[nodiscard]] bool AnyAlive() const;
  // A regular container has run, or was at least told to start.
  [[nodiscard]] bool AnyRegularStarted() const;
  // The pod has lost what its init containers had made, and a regular container is still to run:
  // the init containers have to run again, and wait to do so from now on. False: it is not so.
  [[nodiscard]] bool BeginAnew();
  // Each regular container runs, or has run before.
  [[nodiscard]] bool EveryRegularRan() const;
  // Each sidecar and regular container runs.
  [[nodiscard]] bool EveryIsReady() const;

  // `initialized`: all init containers were complete before. Init containers start one after the
  // other; a sidecar counts as complete once it has started. (kubelet: kuberuntime's
  // computePodActions)
  [[nodiscard]] PodActions Actions(bool initialized, Instant now);
  // When Actions will next start a container if only the time changes; absent: never.
  [[nodiscard]] std::optional<Instant> NextRestartAt(bool initialized) const;

  // Takes the runs that the runtime remembers. A run that is known already is not changed, because
  // its end may have been reported meanwhile.
  void Take(std::vector<ContainerRecord> records);
  // Runs that have ended, all attempts that are known.
  [[nodiscard]] const std::vector<ContainerRecord>& dead() const { return dead_; }
  void AddDead(ContainerRecord record) { dead_.push_back(std::move(record)); }
  void ForgetDead(const std::string& container, int attempt);

 private:
  RestartPolicy policy_;
  std::vector<ContainerLifecycle> runs_;
  std::vector<ContainerRecord> dead_;
};

}  // namespace jettison
