#include <algorithm>
#include <ranges>

#include "agent/pod_worker.h"
#include "decide/eviction_order.h"

// How a pod's worker ends its pod.

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Duration kMinKillTimeout = seconds(10);
// What survives a kill is killed again after the first of these, doubling up to the second.
constexpr Duration kFirstKillPause = seconds(1);
constexpr Duration kLastKillPause = seconds(30);

}  // namespace

Duration KillTimeout(Duration grace) {
  return std::max(grace + grace / 2, kMinKillTimeout);
}

bool PodWorker::Evict(const EvictionOrder& order, Instant now) {
  if (state_ == State::kRemoving || state_ == State::kGone || state_ == State::kFinished) {
    return false;
  }
  const Duration grace = seconds(order.grace_period_seconds);
  const bool shortens = !ending_ || now + grace < ending_->kill_at;
  if (!shortens && eviction_) return false;
  const bool first = !eviction_;
  if (shortens) BeginEnding(grace, true, now);  // the kill first, the words afterwards
  if (first) {
    eviction_ = order;
    evicted_at_ = now;
  }
  UpdateConditions(now);
  return shortens || first;
}

void PodWorker::Terminate(Instant now) {
  if (state_ == State::kGone || state_ == State::kRemoving) return;
  if (state_ == State::kFinished) {
    Remove(now);
    return;
  }
  if (ending_) {
    ending_->remove = true;
    return;
  }
  BeginEnding(seconds(GraceSecondsOf(facts_->pod)), true, now);
  UpdateConditions(now);
}

void PodWorker::PutOffEnd(Duration slept) {
  if (!ending_) return;
  ending_->kill_at += slept;
  ending_->timeout_at += slept;
}

void PodWorker::BeginEnding(Duration grace, bool remove, Instant now) {
  ending_ = Ending{.grace = grace,
                   .kill_at = now + grace,
                   .timeout_at = now + KillTimeout(grace),
                   .next_pause = kFirstKillPause,
                   .late = false,
                   .remove = remove || (ending_ && ending_->remove)};
  state_ = State::kTerminating;
  // A shorter grace period is told to those that were asked before, too.
  for (ContainerLifecycle& run : runs_) run.stop_sent = false;
  AdvanceEnding(now);
}

void PodWorker::AdvanceEnding(Instant now) {
  if (!AnyAlive()) {
    EndingDone(now);
    return;
  }
  if (now < ending_->kill_at) {
    StopNext(now);
  } else if (ending_->kills == 0 || now >= ending_->kill_again_at) {
    KillAlive(now);
  }
  if (now >= ending_->timeout_at && !ending_->late) ReportLateKill(now);
}

// Regular containers first, all at once; then the side-cars, the last one first.
void PodWorker::StopNext(Instant now) {
  bool others_alive = false;
  for (ContainerLifecycle& run : runs_) {
    if (run.IsSidecar() || !run.IsAlive()) continue;
    others_alive = true;
    Stop(run, now);
  }
  if (others_alive) return;
  for (ContainerLifecycle& run : std::views::reverse(runs_)) {
    if (!run.IsSidecar() || !run.IsAlive()) continue;
    Stop(run, now);
    return;
  }
}

// One that is just being started is told once it runs.
void PodWorker::Stop(ContainerLifecycle& run, Instant now) {
  if (run.phase() != ContainerLifecycle::Phase::kRunning || run.stop_sent) return;
  run.stop_sent = true;
  edges_->runtime.StopContainer(facts_->pod.uid, run.spec().name, ending_->kill_at - now);
}

// As long as anything lives: a kill may fail for want of a descriptor or of memory, or because the
// runtime does not answer, and nobody else ends it.
void PodWorker::KillAlive(Instant now) {
  if (ending_->kills++ == 0) ending_->first_kill = now;
  ending_->last_kill = now;
  ending_->kill_again_at = now + ending_->next_pause;
  ending_->next_pause = std::min(2 * ending_->next_pause, kLastKillPause);
  for (const ContainerLifecycle& run : runs_) {
    if (run.IsAlive()) edges_->runtime.KillContainer(facts_->pod.uid, run.spec().name);
  }
}

void PodWorker::ReportLateKill(Instant now) {
  ending_->late = true;
  ++edges_->counters.late_kills;
  Tell(EventType::kWarning, "ExceededGracePeriod",
       "Container runtime did not kill the pod within specified grace period.", now);
  const std::string name = FullName(facts_->pod);
  edges_->log.Error("pod could not be killed in time, killing again", {{"pod", name}});
  KillAlive(now);
}

std::optional<Survival> PodWorker::survival() const {
  if (state_ != State::kTerminating || ending_->kills < 2 || !AnyAlive()) return std::nullopt;
  return Survival{.since = ending_->first_kill, .kills = ending_->kills};
}

void PodWorker::KillSurvivor(Instant now) {
  if (!survival() || now < ending_->last_kill + kFirstKillPause) return;
  KillAlive(now);
}

void PodWorker::EndingDone(Instant now) {
  if (!ending_->remove) {
    state_ = State::kFinished;
    return;
  }
  Remove(now);
}

void PodWorker::Remove(Instant now) {
  state_ = State::kRemoving;
  removing_since_ = now;
  edges_->runtime.RemovePod(facts_->pod.uid);
}

bool PodWorker::KillNow(Instant now) {
  if (!kill_at()) return false;
  ending_->kill_at = std::min(ending_->kill_at, now);
  AdvanceEnding(now);
  return true;
}

bool PodWorker::IsEnding() const {
  return IsEvicted() && !IsCandidate() && state_ != State::kFinished && state_ != State::kGone;
}

std::optional<Instant> PodWorker::kill_at() const {
  if (state_ != State::kTerminating || ending_->kills > 0) return std::nullopt;
  return ending_->kill_at;
}

bool PodWorker::AnyAlive() const {
  return std::ranges::any_of(runs_, &ContainerLifecycle::IsAlive);
}

bool PodWorker::IsCandidate() const {
  switch (state_) {
    case State::kCreating:
    case State::kRecalled:
    case State::kRunning: return true;
    case State::kTerminating:
      // Who was told to end for another reason may go on taking for as long as that is under way.
      return ending_->kills == 0 &&
             (!IsEvicted() || ending_->grace > seconds(kHardEvictionGracePeriodSeconds));
    case State::kRemoving:
    case State::kFinished:
    case State::kGone: return false;
  }
  __builtin_unreachable();
}

}  // namespace jettison
