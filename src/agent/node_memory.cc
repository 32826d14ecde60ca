#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/memory_levels.h"
#include "agent/node.h"
#include "agent/pressure_forecast.h"
#include "model/pressure.h"

// How the node watches its memory between passes: levels and stalls that the kernel tells of, and
// looks by the clock.

namespace jettison {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Levels that move all the time (page cache that grows) are registered no more often than this.
constexpr Duration kRearmSpacing = milliseconds(100);
// Just before a threshold the agent looks this often, because the kernel may tell late; for so long
// at most, and not again before the rest is over, lest a node that lingers there takes the
// processor.
constexpr Duration kApproachSpacing = microseconds(500);
constexpr Duration kApproachTime = milliseconds(30);
constexpr Duration kApproachRest = milliseconds(300);
// Stalls that go on are told again within two seconds at the latest, and whatever they have come to
// is in the averages two seconds after that.
constexpr Duration kStallsLast = 2 * kPressureUpdates;

// What a look reads.
bool IsLookedAt(Signal signal) {
  const Resource resource = ResourceOf(signal);
  return resource == Resource::kMemory || resource == Resource::kSwap || resource == Resource::kIo;
}

}  // namespace

void Node::MemoryCrossed() {
  const Instant now = edges_.clock.Now();
  ++counters_.memory_notifications;
  if (!woken_at_) woken_at_ = now;
  if (now >= approach_until_ + kApproachRest) approach_until_ = now + kApproachTime;
  if (now < no_watch_before_) {
    WatchAt(no_watch_before_);
    return;
  }
  WatchPass();
}

void Node::StayNear(Instant now) {
  if (!NearThreshold(settings_.policy.thresholds, last_report_->observations)) return;
  WatchAt(now + kApproachSpacing);
}

void Node::Stalled() {
  stalled_until_ = edges_.clock.Now() + kStallsLast;
  LookAtMemory();
}

// A threshold newly crossed, or one to act for. One of pressure is met for as long as its average
// remembers, and the kernel tells of stalls twice a second: what a pass has acted for is left to
// the next.
bool Node::IsNews(std::size_t threshold, const Evaluation& evaluation) const {
  const Signal signal = settings_.policy.thresholds[threshold].signal;
  if (!IsLookedAt(signal)) return false;
  if (evaluation.met[threshold] && !standing_.state.first_observed_at[threshold]) return true;
  if (!evaluation.acting[threshold]) return false;
  return !IsPressure(signal) || !last_report_ || !last_report_->evaluation.acting[threshold];
}

// A pass is only worth its while where it has something to say. Whatever else it would find waits
// for the next.
void Node::LookAtMemory() {
  const Instant now = edges_.clock.Now();
  ++counters_.looks;
  woken_at_ = now;
  edges_.figures.ReadNodeMemory(summary_.node);
  const Observations seen = ObservationsFrom(summary_);
  const Evaluation evaluation =
      Evaluate(settings_.policy.thresholds, settings_.policy.pressure_transition_period,
               standing_.state, seen, now);
  for (std::size_t i = 0; i < settings_.policy.thresholds.size(); ++i) {
    if (!IsNews(i, evaluation)) continue;
    WatchPass();
    break;
  }
  woken_at_.reset();
  PlanLook(seen, now);
}

void Node::PlanLook(const Observations& observations, Instant now) {
  look_due_.reset();
  if (edges_.ladder != nullptr) {
    edges_.ladder->Seen(settings_.policy.thresholds, observations, edges_.pods.Active(), now);
  }
  if (!settings_.look_ahead) return;
  forecast_.Seen(observations, now);
  const auto wait = forecast_.NextLook(settings_.policy.thresholds, kernel_tells_,
                                       static_cast<std::int64_t>(kApproach + kLevelSlack));
  if (wait) look_due_ = now + *wait;
  const bool stalled = now < stalled_until_;
  if (stalls_are_told_ && !stalled) return;
  const auto pressure = NextPressureLook(settings_.policy.thresholds, observations,
                                         stalled ? kStalledSpacing : kPressureUpdates);
  if (pressure && (!wait || *pressure < *wait)) look_due_ = now + *pressure;
}

void Node::Rearm(Instant now) {
  if (!settings_.memory_notifications) return;
  std::vector<MemoryLevel> levels = MemoryLevels(settings_.policy.thresholds, summary_.node);
  if (!LevelsMoved(armed_, levels)) return;
  if (!armed_.empty() && now - armed_at_ < kRearmSpacing) {
    WatchAt(armed_at_ + kRearmSpacing);
    return;
  }
  armed_ = levels;
  armed_at_ = now;
  edges_.notifier.Arm(std::move(levels));
}

// The first reading of a pod opens its files, which takes ten times as long as reading them: that
// is done when a pod has come, not when memory runs out.
void Node::KeepWarm() {
  const auto& pods = edges_.pods.Active();
  if (pods == warm_) return;
  if (!settings_.memory_notifications && !settings_.look_ahead) return;
  std::vector<const PodFacts*> added;
  std::ranges::copy_if(pods, std::back_inserter(added), [this](const PodFacts* pod) {
    return std::ranges::find(warm_, pod) == warm_.end();
  });
  warm_ = pods;
  std::vector<PodStats> unused;
  edges_.figures.ReadMemoryOf(added, unused);
}

}  // namespace jettison
