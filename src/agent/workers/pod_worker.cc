#include "agent/workers/pod_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "agent/plans/pod_plans.h"
#include "agent/workers/container_runs.h"
#include "core/decide/eviction_order.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr int kMaxOomScoreAdj = 1000;

// What survives a kill is killed again after the first pause; pauses double up to the second.
constexpr Duration kFirstKillPause = seconds(1);
constexpr Duration kLastKillPause = seconds(30);

// How long a kill may take before it is called late. (kubelet: killPodNow)
Duration KillTimeout(Duration grace) {
  return std::max<Duration>(grace + grace / 2, seconds(10));
}

}  // namespace

PodWorker::PodWorker(SharedPodFacts facts, WorkerDependencies& dependencies)
    : facts_(std::move(facts)),
      dependencies_(&dependencies),
      state_(Creating{}),
      runs_(facts_->pod, dependencies.restart_rule) {}

void PodWorker::Start(Instant now) {
  BeginStatus(now);
  UpdateStatus(now);
  Create(std::get<Creating>(state_));
}

void PodWorker::Create(Creating& creating) {
  creating.again_at.reset();
  ++dependencies_->counters.started_pods;
  dependencies_->runtime.CreatePod(JoinQosGroup());
}

// The shares are set before the pod's group exists.
PodPlan PodWorker::JoinQosGroup() {
  PodPlan plan = PlanOf({facts_, &facts_->pod}, dependencies_->limit_settings);
  if (dependencies_->qos_groups != nullptr) dependencies_->qos_groups->Add({&plan});
  return plan;
}

void PodWorker::LeaveQosGroup() {
  if (dependencies_->qos_groups != nullptr) dependencies_->qos_groups->Remove(facts_->pod.uid);
}

void PodWorker::Remember(const SavedPod& kept) {
  saved_ending_ = kept.ending;
  saved_outcome_ = kept.ended_well;
}

void PodWorker::Recall(std::vector<ContainerRecord> records, Instant now) {
  if (IsOwn()) (void)JoinQosGroup();
  BeginStatus(now);
  runs_.Take(std::move(records));
  (void)running_counted_.Take();
  state_ = Recalled{};
  if (ResumeEviction(now)) return;
  UpdateStatus(now);
}

void PodWorker::Adopt(std::vector<ContainerRecord> records, Instant now) {
  if (!std::holds_alternative<Creating>(state_) && !std::holds_alternative<Recalled>(state_)) {
    return;
  }
  if (IsOwn()) (void)JoinQosGroup();
  BeginStatus(now);
  runs_.Take(std::move(records));
  // If a regular container has ever run, the init containers are done, even if their own records
  // were removed since.
  initialized_ = !runs_.BeginAnew() && runs_.AnyRegularStarted();
  (void)running_counted_.Take();
  state_ = Running{};
  if (ResumeEviction(now)) return;
  if (!ResumeOutcome(now)) Sync(now);
  UpdateStatus(now);
}

// A pod that has finished is not started again, even if its runs were removed since, which would
// tell that. Whether it has finished.
bool PodWorker::ResumeOutcome(Instant now) {
  const auto ended_well = std::exchange(saved_outcome_, std::nullopt);
  if (!ended_well || runs_.AnyAlive()) return false;
  initialized_ = true;
  Finish(*ended_well, now);
  return true;
}

// Continues an eviction with the rest of its grace period, in whole seconds. Whether there was one.
bool PodWorker::ResumeEviction(Instant now) {
  const auto ending = std::exchange(saved_ending_, std::nullopt);
  if (!ending) return false;
  const Duration left = std::clamp(Elapsed(now, ending->kill_at), Duration(0),
                                   Duration(seconds(GraceSecondsOf(facts_->pod))));
  Evict({.pod_uid = facts_->pod.uid,
         .grace_period_seconds = std::chrono::ceil<seconds>(left).count(),
         .reason = ending->reason,
         .message = ending->message,
         .annotations = {},
         .disruption_target = ending->disruption_target},
        now);
  return true;
}

std::optional<SavedEnding> PodWorker::SavedEviction() const {
  if (!eviction_ || ending() == nullptr) return std::nullopt;
  return SavedEnding{.reason = eviction_->order.reason,
                     .message = eviction_->order.message,
                     .disruption_target = eviction_->order.disruption_target,
                     .kill_at = ending()->kill_at};
}

std::optional<bool> PodWorker::SavedOutcome() const {
  if (std::holds_alternative<Recalled>(state_)) return saved_outcome_;
  if (eviction_ || activity() != PodActivity::kFinished) return std::nullopt;
  return !failed_;
}

void PodWorker::Handle(const RuntimeEvent& event, Instant now) {
  if (IsGone()) return;
  std::visit([&](const auto& e) { On(e, now); }, event);
  Advance(now);
}

void PodWorker::Advance(Instant now) {
  if (auto* const creating = std::get_if<Creating>(&state_)) {
    if (creating->again_at && *creating->again_at <= now) Create(*creating);
  }
  if (std::holds_alternative<Running>(state_)) {
    Sync(now);
  } else if (ending() != nullptr) {
    AdvanceEnding(now);
  }
  UpdateStatus(now);
}

std::optional<Instant> PodWorker::NextDeadline() const {
  if (const auto* const creating = std::get_if<Creating>(&state_)) return creating->again_at;
  if (const Ending* const end = ending()) {
    if (!end->IsTerminating() || !runs_.AnyAlive()) return std::nullopt;
    const Instant kill = end->kills == 0 ? end->kill_at : end->kill_again_at;
    return end->is_late ? kill : std::min(kill, end->late_at);
  }
  if (!std::holds_alternative<Running>(state_) || !IsOwn()) return std::nullopt;
  return runs_.NextRestartAt(initialized_);
}

void PodWorker::On(const PodReady&, Instant) {
  if (AwaitsCreation()) state_ = Running{};
}

void PodWorker::On(const PodFailed& event, Instant now) {
  LeaveQosGroup();
  auto* const creating = std::get_if<Creating>(&state_);
  if (creating == nullptr) return;
  creating->error = event.error.message;
  creating->is_held_by_others = event.by_others;
  creating->again_at = creating->backoff.NextStart(now, now);
  ++dependencies_->counters.started_pods_errors;
  Report(EventType::kWarning, "FailedCreatePodSandBox", creating->error, now);
}

void PodWorker::On(const ContainerStarted& event, Instant now) {
  ContainerLifecycle* run = runs_.Find(event.container, event.attempt);
  if (run == nullptr || run->phase() != ContainerLifecycle::Phase::kStarting) return;
  run->Started(event.at);
  if (!run->is_init() && running_counted_.Take()) {
    dependencies_->counters.pod_start.Observe(Elapsed(*start_time_, now));
  }
  const std::string which = event.attempt == 0
                                ? event.container
                                : fmt::format("{} (restart {})", event.container, event.attempt);
  Report(EventType::kNormal, "Started", "Started container " + which, now);
}

void PodWorker::On(const ContainerStartFailed& event, Instant now) {
  ContainerLifecycle* run = runs_.Find(event.container, event.attempt);
  if (run == nullptr || run->phase() != ContainerLifecycle::Phase::kStarting) return;
  run->StartFailed({event.failure, event.error}, now);
  ++dependencies_->counters
        .started_containers_errors[run->is_init() ? 1 : 0][static_cast<std::size_t>(event.failure)];
  Report(EventType::kWarning, "Failed",
         fmt::format("Error: container {}: {}: {}", event.container, NameOf(event.failure),
                     event.error.message),
         now);
}

void PodWorker::On(const ContainerExited& event, Instant now) {
  runs_.AddDead({.pod_uid = event.pod_uid,
                 .name = event.container,
                 .attempt = event.attempt,
                 .created = event.exit.started,
                 .exit = event.exit});
  ContainerLifecycle* run = runs_.Find(event.container, event.attempt);
  if (run == nullptr || !run->IsAlive()) return;
  run->Exited(event.exit);
  dependencies_->log.Info("container ended", {{"pod", FullName(facts_->pod)},
                                              {"container", event.container},
                                              {"exitCode", fmt::to_string(event.exit.exit_code)},
                                              {"reason", TerminationReason(event.exit)}});
  const bool restarts = std::holds_alternative<Running>(state_) && run->Restarts();
  if (!restarts || run->restart_at() <= now) return;
  Report(EventType::kWarning, "BackOff",
         fmt::format("Back-off restarting failed container {} in pod {}", event.container,
                     FullName(facts_->pod)),
         now);
}

void PodWorker::On(const PodRemoved&, Instant) {
  LeaveQosGroup();
  state_ = Gone{};
}

// Starts whatever should run and does not; ends the pod when its work is done. In a foreign
// pod its owner does both.
void PodWorker::Sync(Instant now) {
  const PodActions actions = runs_.Actions(initialized_, now);
  initialized_ = actions.initialized;
  if (!IsOwn() && runs_.AnyAlive()) return;
  for (ContainerLifecycle* const run : actions.start) {
    if (IsOwn()) StartRun(*run);
  }
  if (actions.ends_well) Finish(*actions.ends_well, now);
}

// Its work is done.
void PodWorker::Finish(bool well, Instant now) {
  failed_ = !well;
  BeginEnding(seconds(GraceSecondsOf(facts_->pod)), false, now);
}

void PodWorker::StartRun(ContainerLifecycle& run) {
  ++dependencies_->counters.started_containers[run.is_init() ? 1 : 0];
  const int adj = OomScoreAdj(facts_->pod, run.spec(), dependencies_->memory_capacity_bytes);
  dependencies_->runtime.StartContainer(facts_->pod.uid, run.spec().name, run.BeginStart(),
                                        std::min(adj, kMaxOomScoreAdj));
}

void PodWorker::ForgetRun(const std::string& container, int attempt) {
  runs_.ForgetDead(container, attempt);
  ++dependencies_->counters.dead_containers_removed;
  dependencies_->runtime.RemoveContainer(facts_->pod.uid, container, attempt);
}

bool PodWorker::Evict(const EvictionOrder& order, Instant now) {
  const Ending* const end = ending();
  if (IsGone() || (end != nullptr && !end->IsTerminating())) return false;
  const Duration grace = seconds(order.grace_period_seconds);
  const bool shortens = end == nullptr || now + grace < end->kill_at;
  if (!shortens && eviction_) return false;
  const bool first = !eviction_;
  if (shortens) BeginEnding(grace, true, now);  // the kill first, the status afterwards
  if (first) eviction_ = Eviction{.order = order, .at = now};
  UpdateStatus(now);
  return shortens || first;
}

bool PodWorker::NoteEvicted(const EvictionOrder& order, Instant now) {
  if (eviction_) return false;
  eviction_ = Eviction{.order = order, .at = now};
  UpdateStatus(now);
  return true;
}

void PodWorker::Terminate(Instant now) {
  if (IsGone()) return;
  Ending* const end = ending();
  if (end == nullptr) {
    BeginEnding(seconds(GraceSecondsOf(facts_->pod)), true, now);
    return UpdateStatus(now);
  }
  end->remove = true;
  if (end->step == Ending::Step::kFinished) Remove(*end, now);
}

void PodWorker::BeginEnding(Duration grace, bool remove, Instant now) {
  const bool removes = remove || (ending() != nullptr && ending()->remove);
  state_ = Ending{.grace = grace,
                  .kill_at = now + grace,
                  .late_at = now + KillTimeout(grace),
                  .remove = removes};
  // Containers that were told to stop before are told the shorter grace period, too.
  for (ContainerLifecycle& run : runs_.all()) run.stop_sent = false;
  AdvanceEnding(now);
}

void PodWorker::AdvanceEnding(Instant now) {
  Ending& end = *ending();
  if (!end.IsTerminating()) return;
  if (!runs_.AnyAlive()) {
    if (end.remove) return Remove(end, now);
    end.step = Ending::Step::kFinished;
    return;
  }
  if (now < end.kill_at) return StopNext(end, now);
  if (end.kills == 0 || now >= end.kill_again_at) KillAlive(end, now);
  if (now < end.late_at || std::exchange(end.is_late, true)) return;
  KillAlive(end, now);
  ++dependencies_->counters.late_kills;
  Report(EventType::kWarning, "ExceededGracePeriod",
         "Container runtime did not kill the pod within specified grace period.", now);
  dependencies_->log.Error("pod could not be killed in time, killing again",
                           {{"pod", FullName(facts_->pod)}});
}

// Regular containers first, all at once; then the sidecars, the last one first. To start a hook,
// the runtime opens files and starts a process, which takes long on a node without memory: the
// container that fills the memory must not wait for the hook of another one.
void PodWorker::StopNext(Ending& end, Instant now) {
  // A container that is just being started is stopped once it runs.
  const auto stop = [&](ContainerLifecycle& run) {
    if (run.phase() != ContainerLifecycle::Phase::kRunning || run.stop_sent) return;
    run.stop_sent = true;
    dependencies_->runtime.StopContainer(facts_->pod.uid, run.spec().name, end.kill_at - now);
  };
  bool any_regular = false;
  for (const bool with_hook : {false, true}) {
    for (ContainerLifecycle& run : runs_.all()) {
      if (run.IsSidecar() || !run.IsAlive()) continue;
      any_regular = true;
      if (run.spec().pre_stop.has_value() == with_hook) stop(run);
    }
  }
  if (any_regular) return;
  for (ContainerLifecycle& run : std::views::reverse(runs_.all())) {
    if (run.IsSidecar() && run.IsAlive()) return stop(run);
  }
}

// Repeated as long as a process still runs: a kill may fail for lack of a descriptor or of memory,
// or because the runtime does not answer.
void PodWorker::KillAlive(Ending& end, Instant now) {
  if (end.kills == 0) end.first_kill = now;
  end.kill_again_at =
      now + std::min(kFirstKillPause * (1 << std::min(end.kills, 5)), kLastKillPause);
  ++end.kills;
  for (const ContainerLifecycle& run : runs_.all()) {
    if (run.IsAlive()) dependencies_->runtime.KillContainer(facts_->pod.uid, run.spec().name);
  }
}

void PodWorker::Remove(Ending& end, Instant now) {
  end.step = Ending::Step::kRemoving;
  end.removing_since = now;
  dependencies_->runtime.RemovePod(facts_->pod.uid);
  // What is being removed asks for no CPU time.
  if (dependencies_->qos_groups != nullptr) dependencies_->qos_groups->Leave(facts_->pod.uid);
}

void PodWorker::PutOffEnd(Duration slept) {
  if (Ending* const end = ending()) {
    end->kill_at += slept;
    end->late_at += slept;
  }
}

bool PodWorker::KillNow(Instant now) {
  Ending* const end = ending();
  if (end == nullptr || !end->AwaitsKill()) return false;
  end->kill_at = std::min(end->kill_at, now);
  AdvanceEnding(now);
  return true;
}

std::optional<SurvivorRecord> PodWorker::Survival() const {
  const Ending* const end = ending();
  const bool survives =
      end != nullptr && end->IsTerminating() && end->kills >= 2 && runs_.AnyAlive();
  if (!survives) return std::nullopt;
  return SurvivorRecord{.pod_uid = facts_->pod.uid, .since = end->first_kill, .kills = end->kills};
}

bool PodWorker::IsEnding() const {
  return IsEvicted() && !IsCandidate() && ending() != nullptr &&
         ending()->step != Ending::Step::kFinished;
}

std::optional<Instant> PodWorker::kill_at() const {
  if (ending() == nullptr || !ending()->AwaitsKill()) return std::nullopt;
  return ending()->kill_at;
}

// A runtime may take a second to tell that a container has ended, and nothing is removed before.
std::optional<Instant> PodWorker::removing_since() const {
  const Ending* const end = ending();
  if (end == nullptr) return std::nullopt;
  if (end->removing_since || !end->remove || end->kills == 0) return end->removing_since;
  return end->first_kill;
}

// A pod that is ending for another reason may still take the resource, so it remains a candidate.
bool PodWorker::IsCandidate() const {
  const Ending* const end = ending();
  if (end == nullptr) return !IsGone() && !IsHeldByOthers();
  return end->AwaitsKill() &&
         (!IsEvicted() || end->grace > seconds(kHardEvictionGracePeriodSeconds));
}

// What its group holds is measured, and none of it is this pod's or could be ended as this pod.
bool PodWorker::IsHeldByOthers() const {
  const auto* const creating = std::get_if<Creating>(&state_);
  return creating != nullptr && creating->is_held_by_others;
}

PodActivity PodWorker::activity() const {
  if (const Ending* const end = ending()) {
    switch (end->step) {
      case Ending::Step::kTerminating: return PodActivity::kTerminating;
      case Ending::Step::kRemoving: return PodActivity::kCleaningUp;
      case Ending::Step::kFinished: return PodActivity::kFinished;
    }
  }
  if (IsGone()) return PodActivity::kWaiting;
  if (std::holds_alternative<Recalled>(state_)) return PodActivity::kRunning;
  // What a foreign pod's containers wait for is its owner's concern.
  const bool runs = std::holds_alternative<Running>(state_) && initialized_ &&
                    (!IsOwn() || runs_.EveryRegularRan());
  return runs ? PodActivity::kRunning : PodActivity::kStarting;
}

// (kubelet: getPhase)
PodPhase PodWorker::Phase() const {
  if (eviction_) return PodPhase::kFailed;
  if (activity() == PodActivity::kFinished)
    return failed_ ? PodPhase::kFailed : PodPhase::kSucceeded;
  // Of a pod that is recalled only those containers are known that run.
  const bool runs = std::holds_alternative<Recalled>(state_) ? runs_.AnyRegularStarted()
                                                             : runs_.EveryRegularRan();
  return runs ? PodPhase::kRunning : PodPhase::kPending;
}

void PodWorker::UpdateStatus(Instant now) {
  const auto set = [&](const char* type, bool value, const char* reason, std::string message = {}) {
    conditions_.Set({.type = type,
                     .status = value,
                     .reason = reason,
                     .message = std::move(message),
                     .last_transition = now});
  };
  if (eviction_ && eviction_->order.disruption_target) {
    set("DisruptionTarget", true, "TerminationByKubelet", eviction_->order.message);
  }
  const bool ready = activity() == PodActivity::kRunning && runs_.EveryIsReady();
  set("Initialized", initialized_, initialized_ ? "" : "ContainersNotInitialized");
  set("ContainersReady", ready, ready ? "" : "ContainersNotReady");
  set("Ready", ready, ready ? "" : "ContainersNotReady");
}

PodStatus PodWorker::Status(Instant now) const {
  PodStatus status;
  status.phase = Phase();
  if (eviction_) {
    status.reason = eviction_->order.reason;
    status.message = eviction_->order.message;
  } else if (const auto* const creating = std::get_if<Creating>(&state_)) {
    status.message = creating->error;
  }
  status.conditions = conditions_.conditions;
  status.start_time = start_time_;
  for (const ContainerLifecycle& run : runs_.all()) {
    status.containers.push_back(run.Status(initialized_, now));
  }
  return status;
}

void PodWorker::Report(EventType type, const char* reason, std::string message, Instant now) const {
  dependencies_->events.Add(now, FullName(facts_->pod),
                            {.object = facts_->pod.uid,
                             .type = type,
                             .reason = reason,
                             .message = std::move(message),
                             .annotations = {}});
}

}  // namespace jettison
