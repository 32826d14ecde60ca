#include "agent/workers/container_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/units/duration.h"

namespace jettison {
namespace {

using Phase = ContainerLifecycle::Phase;

}  // namespace

int ContainerLifecycle::BeginStart() {
  if (exit_) last_state_ = exit_;
  phase_ = Phase::kStarting;
  start_error_.reset();
  of_earlier_life_ = false;
  return ++attempt_;
}

void ContainerLifecycle::BeginAnew() {
  if (exit_) last_state_ = std::exchange(exit_, std::nullopt);
  start_error_.reset();
  phase_ = Phase::kWaiting;
}

void ContainerLifecycle::Started(Instant at) {
  phase_ = Phase::kRunning;
  started_at_ = at;
  create_backoff_ = Backoff(kCreateRule);
}

void ContainerLifecycle::StartFailed(StartError error, Instant at) {
  start_error_ = std::move(error);
  if (!CountsAsRun(start_error_->failure)) {
    phase_ = Phase::kWaiting;
    restart_at_ = create_backoff_.NextStart(at, at);
    return;
  }
  create_backoff_ = Backoff(kCreateRule);
  Exited({.exit_code = kStartErrorExitCode,
          .signal = 0,
          .oom_killed = false,
          .started = at,
          .finished = at});
}

void ContainerLifecycle::Exited(const ContainerExit& exit) {
  phase_ = Phase::kExited;
  exit_ = exit;
  restart_at_ = backoff_.NextStart(exit.started, exit.finished);
}

// A start that was interrupted is not an end: the container is started as the next attempt,
// whatever the pod's restart policy. (kubelet: ShouldContainerBeRestarted, "Always restart
// container in the created state")
void ContainerLifecycle::Adopt(const ContainerRecord& record) {
  of_earlier_life_ = record.of_earlier_life;
  if (record.never_ran) {
    attempt_ = record.attempt;
    return;
  }
  if (exit_) last_state_ = exit_;
  attempt_ = record.attempt;
  if (record.exit) {
    Exited(*record.exit);
  } else {
    Started(record.created);
  }
}

bool ContainerLifecycle::Restarts() const {
  if (IsSidecar()) return true;
  const bool failed = phase_ == Phase::kExited && exit_->exit_code != 0;
  switch (policy_) {
    case RestartPolicy::kAlways: return !init_ || failed;  // an init container has to succeed once
    case RestartPolicy::kOnFailure: return failed;
    case RestartPolicy::kNever: return false;
  }
  __builtin_unreachable();
}

bool ContainerLifecycle::AwaitsRestart() const {
  return phase_ == Phase::kWaiting ? start_error_.has_value()
                                   : phase_ == Phase::kExited && Restarts();
}

bool ContainerLifecycle::IsDue(Instant now) const {
  return AwaitsRestart() ? restart_at_ <= now : phase_ == Phase::kWaiting;
}

ContainerState ContainerLifecycle::State(bool initialized, Instant now) const {
  switch (phase_) {
    case Phase::kWaiting:
      if (start_error_) return WaitsAfterFailure();
      return ContainerWaiting{
          .reason = initialized || init_ ? "ContainerCreating" : "PodInitializing", .message = {}};
    case Phase::kStarting: return ContainerWaiting{.reason = "ContainerCreating", .message = {}};
    case Phase::kRunning: return ContainerRunning{started_at_};
    case Phase::kExited: break;
  }
  if (Restarts() && restart_at_ > now) {
    if (start_error_) return WaitsAfterFailure();
    const auto wait = std::chrono::ceil<std::chrono::seconds>(restart_at_ - now);
    return ContainerWaiting{.reason = "CrashLoopBackOff",
                            .message = fmt::format("back-off {} restarting failed container={}",
                                                   FormatDuration(wait), spec_->name)};
  }
  return ContainerTerminated{.exit = *exit_,
                             .start_error = start_error_ ? start_error_->error.message : ""};
}

ContainerWaiting ContainerLifecycle::WaitsAfterFailure() const {
  return {.reason = std::string(NameOf(start_error_->failure)),
          .message = start_error_->error.message};
}

ContainerStatus ContainerLifecycle::Status(bool initialized, Instant now) const {
  ContainerStatus status;
  status.name = spec_->name;
  status.init = init_;
  status.state = State(initialized, now);
  // While the container waits for its restart, the ended run is its last one.
  const bool shows_exit = std::holds_alternative<ContainerTerminated>(status.state);
  status.last_state = phase_ == Phase::kExited && !shows_exit ? exit_ : last_state_;
  status.restart_count = attempt_ > 0 ? attempt_ : 0;
  status.ready = phase_ == Phase::kRunning || (init_ && !IsSidecar() && Succeeded());
  return status;
}

ContainerRuns::ContainerRuns(const Pod& pod, const BackoffRule& restart_rule)
    : policy_(pod.restart_policy) {
  for (const bool init : {true, false}) {
    for (const Container& spec : init ? pod.init_containers : pod.containers) {
      runs_.emplace_back(spec, init, policy_, restart_rule);
    }
  }
}

ContainerLifecycle* ContainerRuns::Find(const std::string& container, int attempt) {
  const auto run = std::ranges::find_if(runs_, [&](const ContainerLifecycle& r) {
    return r.attempt() == attempt && r.spec().name == container;
  });
  return run == runs_.end() ? nullptr : &*run;
}

bool ContainerRuns::AnyAlive() const {
  return std::ranges::any_of(runs_, &ContainerLifecycle::IsAlive);
}

bool ContainerRuns::AnyRegularStarted() const {
  return std::ranges::any_of(
      runs_, [](const ContainerLifecycle& run) { return !run.is_init() && run.WasStarted(); });
}

// (kubelet: computePodActions, which begins with the first init container where it makes a sandbox,
// and makes none for a pod that is not restarted or has nothing left to run)
bool ContainerRuns::BeginAnew() {
  const auto is_lost = [](const ContainerLifecycle& run) {
    return run.WasStarted() && !run.WasStartedInThisLife();
  };
  const auto goes_on = [](const ContainerLifecycle& run) {
    return !run.is_init() && (run.IsAlive() || run.WasStartedInThisLife());
  };
  const auto is_to_run = [](const ContainerLifecycle& run) {
    return !run.is_init() && !run.IsDone();
  };
  if (policy_ == RestartPolicy::kNever || std::ranges::none_of(runs_, is_lost) ||
      std::ranges::any_of(runs_, goes_on) || std::ranges::none_of(runs_, is_to_run)) {
    return false;
  }
  for (ContainerLifecycle& run : runs_) {
    if (run.is_init() && is_lost(run) && !run.IsAlive()) run.BeginAnew();
  }
  return true;
}

bool ContainerRuns::EveryRegularRan() const {
  return std::ranges::all_of(
      runs_, [](const ContainerLifecycle& run) { return run.is_init() || run.HasRun(); });
}

bool ContainerRuns::EveryIsReady() const {
  return std::ranges::all_of(runs_, [](const ContainerLifecycle& run) {
    return (run.is_init() && !run.IsSidecar()) ||
           run.phase() == ContainerLifecycle::Phase::kRunning;
  });
}

void ContainerRuns::Take(std::vector<ContainerRecord> records) {
  std::ranges::sort(records, {}, &ContainerRecord::attempt);
  for (const ContainerRecord& record : records) {
    const auto run = std::ranges::find(runs_, record.name, [](const ContainerLifecycle& r) {
      return std::string_view(r.spec().name);
    });
    if (run == runs_.end()) continue;
    const bool known = run->WasStarted() && record.attempt <= run->attempt();
    if (known && record.attempt == run->attempt()) continue;
    if (!known) run->Adopt(record);
    if (record.exit) dead_.push_back(record);
  }
}

void ContainerRuns::ForgetDead(const std::string& container, int attempt) {
  std::erase_if(dead_, [&](const ContainerRecord& record) {
    return record.name == container && record.attempt == attempt;
  });
}

PodActions ContainerRuns::Actions(bool initialized, Instant now) {
  PodActions actions;
  const auto note_if_due = [&](ContainerLifecycle& run) {
    const bool due = run.IsDue(now);
    if (due) actions.start.push_back(&run);
    return due;
  };
  for (ContainerLifecycle& run : runs_) {
    if (!run.is_init()) break;
    if (run.IsSidecar()) {
      const bool due = note_if_due(run);
      const bool started = run.phase() == Phase::kRunning || run.phase() == Phase::kExited;
      if (!initialized && (due || !started)) return actions;
    } else if (!initialized && !run.Succeeded()) {
      if (run.IsDone()) {
        actions.ends_well = false;
      } else {
        (void)note_if_due(run);
      }
      return actions;
    }
  }
  actions.initialized = true;
  bool done = true;
  bool well = true;
  for (ContainerLifecycle& run : runs_) {
    if (run.is_init()) continue;
    (void)note_if_due(run);
    done = done && run.IsDone();
    well = well && run.Succeeded();
  }
  if (done) actions.ends_well = well;
  return actions;
}

std::optional<Instant> ContainerRuns::NextRestartAt(bool initialized) const {
  std::optional<Instant> next;
  for (const ContainerLifecycle& run : runs_) {
    const bool waits = run.AwaitsRestart() && (run.IsSidecar() || run.is_init() != initialized);
    if (waits) next = Earliest({next, run.restart_at()});
  }
  return next;
}

}  // namespace jettison
