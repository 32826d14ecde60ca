#include "agent/pod_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/plan_of.h"
#include "decide/oom_score_adj.h"
#include "report/cycle_report.h"

namespace jettison {
namespace {

constexpr int kMaxOomScoreAdj = 1000;

const std::string& UidOf(const RuntimeEvent& event) {
  return std::visit([](const auto& e) -> const std::string& { return e.pod_uid; }, event);
}

}  // namespace

PodWorker::PodWorker(const PodFacts& facts, WorkerEdges& edges) : facts_(&facts), edges_(&edges) {
  runs_.reserve(facts.pod.init_containers.size() + facts.pod.containers.size());
  for (const Container& spec : facts.pod.init_containers) {
    runs_.emplace_back(spec, true, edges.restart_rule);
  }
  for (const Container& spec : facts.pod.containers) {
    runs_.emplace_back(spec, false, edges.restart_rule);
  }
}

void PodWorker::Start(Instant now) {
  start_time_ = now;
  UpdateConditions(now);
  Create();
}

void PodWorker::Create() {
  create_again_at_.reset();
  ++edges_->counters.started_pods;
  edges_->runtime.CreatePod(PlanOf(facts_->pod, edges_->limit_settings));
}

void PodWorker::Remember(const KeptPod& kept) {
  kept_ending_ = kept.ending;
  kept_runs_ = kept.runs;
}

void PodWorker::Recall(std::vector<ContainerRecord> records, Instant now) {
  start_time_ = now;
  TakeRecords(std::move(records));
  counted_running_ = true;
  state_ = State::kRecalled;
  if (ResumeEviction(now)) return;
  UpdateConditions(now);
}

// A run that is known already counts as it is known: its end may have been told meanwhile.
void PodWorker::TakeRecords(std::vector<ContainerRecord> records) {
  std::ranges::sort(records, {}, &ContainerRecord::attempt);
  for (const ContainerRecord& record : records) {
    const auto run = std::ranges::find(runs_, record.name, [](const ContainerLifecycle& r) {
      return std::string_view(r.spec().name);
    });
    if (run == runs_.end()) continue;
    const bool known = run->WasStarted() && record.attempt <= run->attempt();
    if (known && record.attempt == run->attempt()) continue;
    if (!known) run->Adopt(record);
    if (record.exit) dead_runs_.push_back(record);
  }
}

void PodWorker::Adopt(std::vector<ContainerRecord> records, Instant now) {
  if (state_ != State::kCreating && state_ != State::kRecalled) return;
  if (!start_time_) start_time_ = now;
  TakeRecords(std::move(records));
  ResumeRuns(now);
  // A regular container that has ever run tells that the init containers are done, even where
  // their own records were collected since.
  initialized_ = std::ranges::any_of(
      runs_, [](const ContainerLifecycle& run) { return !run.is_init() && run.WasStarted(); });
  counted_running_ = true;
  state_ = State::kRunning;
  if (ResumeEviction(now)) return;
  Sync(now);
  UpdateConditions(now);
}

void PodWorker::ResumeRuns(Instant now) {
  const std::vector<KeptRun> kept = std::exchange(kept_runs_, {});
  for (ContainerLifecycle& run : runs_) {
    const auto found = std::ranges::find(kept, run.spec().name, &KeptRun::container);
    if (found != kept.end()) run.Resume(*found, now);
  }
}

// What is left of its grace period, in whole seconds. Whether there was one to resume.
bool PodWorker::ResumeEviction(Instant now) {
  const auto ending = std::exchange(kept_ending_, std::nullopt);
  if (!ending) return false;
  const Duration left = std::clamp(Elapsed(now, ending->kill_at), Duration(0),
                                   Duration(std::chrono::seconds(GraceSecondsOf(facts_->pod))));
  Evict({.pod_uid = facts_->pod.uid,
         .grace_period_seconds = std::chrono::ceil<std::chrono::seconds>(left).count(),
         .reason = ending->reason,
         .message = ending->message,
         .annotations = {},
         .disruption_target = ending->disruption_target},
        now);
  return true;
}

std::optional<KeptEnding> PodWorker::KeptEviction() const {
  if (!eviction_ || !ending_ || state_ == State::kGone) return std::nullopt;
  return KeptEnding{.reason = eviction_->reason,
                    .message = eviction_->message,
                    .disruption_target = eviction_->disruption_target,
                    .kill_at = ending_->kill_at};
}

std::vector<KeptRun> PodWorker::KeptRuns() const {
  if (state_ == State::kRecalled) return kept_runs_;
  std::vector<KeptRun> kept;
  for (const ContainerLifecycle& run : runs_) {
    if (auto each = run.Kept()) kept.push_back(*std::move(each));
  }
  return kept;
}

void PodWorker::Handle(const RuntimeEvent& event, Instant now) {
  if (UidOf(event) != facts_->pod.uid || state_ == State::kGone) return;
  std::visit([&](const auto& e) { On(e, now); }, event);
  Advance(now);
}

void PodWorker::Advance(Instant now) {
  switch (state_) {
    case State::kCreating:
      if (create_again_at_ && *create_again_at_ <= now) Create();
      break;
    case State::kRunning: Sync(now); break;
    case State::kTerminating: AdvanceEnding(now); break;
    case State::kRecalled:
    case State::kRemoving:
    case State::kFinished:
    case State::kGone: break;
  }
  UpdateConditions(now);
}

std::optional<Instant> PodWorker::NextDeadline() const {
  std::optional<Instant> next;
  const auto consider = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  if (state_ == State::kCreating && create_again_at_) consider(*create_again_at_);
  if (state_ == State::kRunning) {
    for (const ContainerLifecycle& run : runs_) {
      const bool waits = run.phase() == ContainerLifecycle::Phase::kExited &&
                         run.RestartsUnder(facts_->pod.restart_policy) &&
                         (run.IsSidecar() || run.is_init() != initialized_);
      if (waits) consider(run.restart_at());
    }
  }
  if (state_ == State::kTerminating && AnyAlive()) {
    consider(ending_->kills == 0 ? ending_->kill_at : ending_->kill_again_at);
    if (!ending_->late) consider(ending_->timeout_at);
  }
  return next;
}

void PodWorker::On(const PodReady&, Instant) {
  if (state_ == State::kCreating) state_ = State::kRunning;
}

void PodWorker::On(const PodFailed& event, Instant now) {
  if (state_ != State::kCreating) return;
  create_error_ = event.error.message;
  ++edges_->counters.started_pods_errors;
  create_again_at_ = create_backoff_.NextStart(now, now);
  Tell(EventType::kWarning, "FailedCreatePodSandBox", create_error_, now);
}

void PodWorker::On(const ContainerStarted& event, Instant now) {
  ContainerLifecycle* run = Find(event.container, event.attempt);
  if (run == nullptr || run->phase() != ContainerLifecycle::Phase::kStarting) return;
  run->Started(event.at);
  CountRunning(now);
  Tell(EventType::kNormal, "Started",
       event.attempt == 0
           ? fmt::format("Started container {}", event.container)
           : fmt::format("Started container {} (restart {})", event.container, event.attempt),
       now);
}

void PodWorker::On(const ContainerStartFailed& event, Instant now) {
  ContainerLifecycle* run = Find(event.container, event.attempt);
  if (run == nullptr || run->phase() != ContainerLifecycle::Phase::kStarting) return;
  run->StartFailed(event.error.message, now);
  ++edges_->counters.started_containers_errors[run->is_init() ? 1 : 0];
  Tell(EventType::kWarning, "Failed",
       fmt::format("Error: container {}: {}", event.container, event.error.message), now);
}

void PodWorker::On(const ContainerExited& event, Instant now) {
  dead_runs_.push_back({.pod_uid = event.pod_uid,
                        .name = event.container,
                        .attempt = event.attempt,
                        .created = event.exit.started,
                        .exit = event.exit});
  ContainerLifecycle* run = Find(event.container, event.attempt);
  if (run == nullptr || !run->IsAlive()) return;
  run->Exited(event.exit);
  const std::string name = FullName(facts_->pod);
  edges_->log.Info("container ended", {{"pod", name},
                                       {"container", event.container},
                                       {"exitCode", fmt::to_string(event.exit.exit_code)},
                                       {"reason", TerminationReason(event.exit)}});
  const bool restarts = state_ == State::kRunning && run->RestartsUnder(facts_->pod.restart_policy);
  if (restarts && run->restart_at() > now) {
    Tell(EventType::kWarning, "BackOff",
         fmt::format("Back-off restarting failed container {} in pod {}", event.container, name),
         now);
  }
}

void PodWorker::On(const PodRemoved&, Instant) {
  state_ = State::kGone;
}

// Starts whatever should run and does not; ends the pod when its work is done.
void PodWorker::Sync(Instant now) {
  if (state_ != State::kRunning || !SyncInit(now)) return;
  bool done = true;
  for (ContainerLifecycle& run : runs_) {
    if (run.is_init()) continue;
    StartIfDue(run, now);
    done = done && run.phase() == ContainerLifecycle::Phase::kExited &&
           !run.RestartsUnder(facts_->pod.restart_policy);
  }
  if (!done) return;
  failed_ = std::ranges::any_of(
      runs_, [](const ContainerLifecycle& run) { return !run.is_init() && !run.Succeeded(); });
  BeginEnding(std::chrono::seconds(GraceSecondsOf(facts_->pod)), false, now);
}

// One init container after the other; a side-car has done its part once it has started. True when
// the regular containers may run.
bool PodWorker::SyncInit(Instant now) {
  for (ContainerLifecycle& run : runs_) {
    if (!run.is_init()) break;
    if (run.IsSidecar()) {
      StartIfDue(run, now);
      if (!initialized_ && run.phase() != ContainerLifecycle::Phase::kRunning &&
          run.phase() != ContainerLifecycle::Phase::kExited) {
        return false;
      }
      continue;
    }
    if (initialized_ || run.Succeeded()) continue;
    if (run.phase() == ContainerLifecycle::Phase::kExited &&
        !run.RestartsUnder(facts_->pod.restart_policy)) {
      failed_ = true;
      BeginEnding(std::chrono::seconds(GraceSecondsOf(facts_->pod)), false, now);
      return false;
    }
    StartIfDue(run, now);
    return false;
  }
  initialized_ = true;
  return true;
}

void PodWorker::StartIfDue(ContainerLifecycle& run, Instant now) {
  const bool due = run.phase() == ContainerLifecycle::Phase::kWaiting ||
                   (run.phase() == ContainerLifecycle::Phase::kExited &&
                    run.RestartsUnder(facts_->pod.restart_policy) && run.restart_at() <= now);
  if (!due) return;
  ++edges_->counters.started_containers[run.is_init() ? 1 : 0];
  const int adj = OomScoreAdj(facts_->pod, run.spec(), edges_->memory_capacity_bytes);
  edges_->runtime.StartContainer(facts_->pod.uid, run.spec().name, run.BeginStart(),
                                 std::min(adj, kMaxOomScoreAdj));
}

void PodWorker::ForgetRun(const std::string& container, int attempt) {
  std::erase_if(dead_runs_, [&](const ContainerRecord& record) {
    return record.name == container && record.attempt == attempt;
  });
  ++edges_->counters.dead_containers_removed;
  edges_->runtime.RemoveContainer(facts_->pod.uid, container, attempt);
}

ContainerLifecycle* PodWorker::Find(const std::string& container, int attempt) {
  const auto run = std::ranges::find_if(runs_, [&](const ContainerLifecycle& r) {
    return r.attempt() == attempt && r.spec().name == container;
  });
  return run == runs_.end() ? nullptr : &*run;
}

void PodWorker::CountRunning(Instant now) {
  if (counted_running_ || Phase() != PodPhase::kRunning) return;
  counted_running_ = true;
  edges_->counters.pod_start.Observe(Elapsed(*start_time_, now));
}

void PodWorker::Tell(EventType type, const char* reason, std::string message, Instant now) {
  edges_->events.Add(now, FullName(facts_->pod),
                     {.object = facts_->pod.uid,
                      .type = type,
                      .reason = reason,
                      .message = std::move(message),
                      .annotations = {}});
}

}  // namespace jettison
