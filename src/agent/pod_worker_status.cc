#include <algorithm>

#include "agent/pod_worker.h"
#include "report/cycle_report.h"

// What a pod's worker tells of its pod.

namespace jettison {

PodActivity PodWorker::activity() const {
  switch (state_) {
    case State::kCreating: return PodActivity::kStarting;
    case State::kRecalled: return PodActivity::kRunning;
    case State::kRunning: return initialized_ ? PodActivity::kRunning : PodActivity::kStarting;
    case State::kTerminating: return PodActivity::kTerminating;
    case State::kRemoving: return PodActivity::kCleaningUp;
    case State::kFinished: return PodActivity::kFinished;
    case State::kGone: return PodActivity::kWaiting;
  }
  __builtin_unreachable();
}

// An evicted pod has failed from the moment of the decision on, however its containers end.
PodPhase PodWorker::Phase() const {
  if (eviction_) return PodPhase::kFailed;
  if (state_ == State::kFinished) return failed_ ? PodPhase::kFailed : PodPhase::kSucceeded;
  const bool started = std::ranges::any_of(
      runs_, [](const ContainerLifecycle& run) { return !run.is_init() && run.WasStarted(); });
  return started ? PodPhase::kRunning : PodPhase::kPending;
}

PodStatus PodWorker::Status(Instant now) const {
  PodStatus status;
  status.phase = Phase();
  if (eviction_) {
    status.reason = eviction_->reason;
    status.message = eviction_->message;
  } else if (state_ == State::kCreating) {
    status.message = create_error_;
  }
  status.conditions = conditions_.conditions;
  status.start_time = start_time_;
  for (const ContainerLifecycle& run : runs_) {
    status.containers.push_back(run.Status(facts_->pod.restart_policy, initialized_, now));
  }
  return status;
}

void PodWorker::UpdateConditions(Instant now) {
  const bool runs = (state_ == State::kRunning && initialized_) || state_ == State::kRecalled;
  const bool ready = runs && std::ranges::all_of(runs_, [](const ContainerLifecycle& run) {
                       return (run.is_init() && !run.IsSidecar()) ||
                              run.phase() == ContainerLifecycle::Phase::kRunning;
                     });
  const auto set = [&](const char* type, bool value, const char* reason_if_not) {
    conditions_.Set({.type = type,
                     .status = value,
                     .reason = value ? "" : reason_if_not,
                     .message = {},
                     .last_transition = now});
  };
  if (eviction_ && eviction_->disruption_target) {
    conditions_.Set({.type = "DisruptionTarget",
                     .status = true,
                     .reason = "TerminationByKubelet",
                     .message = eviction_->message,
                     .last_transition = now});
  }
  set("Initialized", initialized_, "ContainersNotInitialized");
  set("ContainersReady", ready, "ContainersNotReady");
  set("Ready", ready, "ContainersNotReady");
}

}  // namespace jettison
