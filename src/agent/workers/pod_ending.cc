#include "agent/workers/pod_ending.h"

#include <algorithm>
#include <ranges>

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Duration kMinKillTimeout = seconds(10);
// What survives a kill is killed again after the first pause, which doubles up to the second.
constexpr Duration kFirstKillPause = seconds(1);
constexpr Duration kLastKillPause = seconds(30);

}  // namespace

Duration KillTimeout(Duration grace) {
  return std::max(grace + grace / 2, kMinKillTimeout);
}

PodEnding::PodEnding(Duration grace, bool remove, Instant now)
    : grace_(grace),
      kill_at_(now + grace),
      timeout_at_(now + KillTimeout(grace)),
      remove_(remove),
      kills_{.next_pause = kFirstKillPause} {}

bool PodEnding::Advance(const Target& pod, Instant now) {
  if (step_ != Step::kTerminating) return false;
  if (!pod.runs.AnyAlive()) {
    if (remove_) {
      Remove(pod, now);
    } else {
      step_ = Step::kFinished;
    }
    return false;
  }
  if (now < kill_at_) {
    StopNext(pod, now);
  } else if (kills_.count == 0 || now >= kills_.again_at) {
    KillAlive(pod, now);
  }
  if (now < timeout_at_ || late_) return false;
  late_ = true;
  KillAlive(pod, now);
  return true;
}

// Regular containers first, all at once; then the sidecars, the last one first. To start a hook,
// the runtime opens files and starts a process, which takes long on a node without memory: the
// container that fills the memory must not wait for the hook of another one.
void PodEnding::StopNext(const Target& pod, Instant now) const {
  // A container that is just being started is stopped once it runs.
  const auto stop = [&](ContainerLifecycle& run) {
    if (run.phase() != ContainerLifecycle::Phase::kRunning || run.stop_sent) return;
    run.stop_sent = true;
    pod.runtime.StopContainer(pod.uid, run.spec().name, kill_at_ - now);
  };
  bool any_regular = false;
  for (const bool with_hook : {false, true}) {
    for (ContainerLifecycle& run : pod.runs.all()) {
      if (run.IsSidecar() || !run.IsAlive()) continue;
      any_regular = true;
      if (run.spec().pre_stop.has_value() == with_hook) stop(run);
    }
  }
  if (any_regular) return;
  for (ContainerLifecycle& run : std::views::reverse(pod.runs.all())) {
    if (run.IsSidecar() && run.IsAlive()) return stop(run);
  }
}

// Repeated as long as a process still runs: a kill may fail for lack of a descriptor or of memory,
// or because the runtime does not answer.
void PodEnding::KillAlive(const Target& pod, Instant now) {
  if (kills_.count++ == 0) kills_.first = now;
  kills_.again_at = now + kills_.next_pause;
  kills_.next_pause = std::min(2 * kills_.next_pause, kLastKillPause);
  for (const ContainerLifecycle& run : pod.runs.all()) {
    if (run.IsAlive()) pod.runtime.KillContainer(pod.uid, run.spec().name);
  }
}

void PodEnding::Remove(const Target& pod, Instant now) {
  step_ = Step::kRemoving;
  removing_since_ = now;
  pod.runtime.RemovePod(pod.uid);
}

// A runtime may take a second to tell that a container has ended, and nothing is removed before.
std::optional<Instant> PodEnding::removing_since() const {
  if (removing_since_ || !remove_ || kills_.count == 0) return removing_since_;
  return kills_.first;
}

void PodEnding::RemoveToo(const Target& pod, Instant now) {
  switch (step_) {
    case Step::kTerminating: remove_ = true; return;
    case Step::kFinished: return Remove(pod, now);
    case Step::kRemoving: return;
  }
}

bool PodEnding::GiveUpGrace(Instant now) {
  if (!AwaitsKill()) return false;
  kill_at_ = std::min(kill_at_, now);
  return true;
}

void PodEnding::PutOff(Duration slept) {
  kill_at_ += slept;
  timeout_at_ += slept;
}

std::optional<Survival> PodEnding::SurvivalOf(const ContainerRuns& runs) const {
  if (step_ != Step::kTerminating || kills_.count < 2 || !runs.AnyAlive()) return std::nullopt;
  return Survival{.since = kills_.first, .kills = kills_.count};
}

std::optional<Instant> PodEnding::NextDeadline(const ContainerRuns& runs) const {
  if (step_ != Step::kTerminating || !runs.AnyAlive()) return std::nullopt;
  const Instant next = kills_.count == 0 ? kill_at_ : kills_.again_at;
  return late_ ? next : std::min(next, timeout_at_);
}

}  // namespace jettison
