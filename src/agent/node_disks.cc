// How the node watches its disks: full passes, and what is done while pods' files are being
// measured.
#include <algorithm>
#include <span>
#include <utility>

#include "agent/node.h"
#include "decide/decide.h"

namespace jettison {

bool Node::IsDisk(std::size_t threshold) const {
  return ConditionOf(settings_.policy.thresholds[threshold].signal) ==
         NodeConditionType::kDiskPressure;
}

// Only who looks at pods' disk use needs it measured.
bool Node::NeedsWalk() const {
  for (std::size_t i = 0; i < settings_.policy.thresholds.size(); ++i) {
    if (IsDisk(i)) return true;
  }
  return settings_.policy.local_storage_capacity_isolation;
}

// What the node's own figures say is not put off until the walk is back.
void Node::StartWalk() {
  const Instant now = edges_.clock.Now();
  const auto& pods = edges_.pods.Active();
  if (pods.empty() || !NeedsWalk()) {
    DiskMeasured({});
    return;
  }
  next_evaluation_ = now;
  const bool news = HasNews(now);
  Walk(pods);
  if (news) {
    WatchPass();
  } else {
    next_evaluation_ = now + settings_.monitoring_interval;
  }
}

void Node::Walk(std::span<const PodFacts* const> pods) {
  walked_.clear();
  for (const PodFacts* facts : pods) walked_.insert(facts->pod.uid);
  edges_.disk_walks.Start(pods);
}

// While a walk is under way evaluations take the place of full passes.
std::optional<Instant> Node::NextByClock(Instant now) {
  if (!scheduler_.measuring()) return scheduler_.NextDeadline();
  if (now < next_evaluation_) return next_evaluation_;
  next_evaluation_ = now + settings_.monitoring_interval;
  return std::nullopt;
}

void Node::DiskMeasured(DiskUse disk) {
  if (!scheduler_.measuring()) return;
  if (MustWalkAgain(disk)) return Walk(edges_.pods.Active());
  FullPass(disk);
  scheduler_.Done(edges_.clock.Now());
}

// A pod that came after the walk had begun may be the one that fills the disk; it could not go
// while nothing is known of it. It is waited for as long as for any walk.
bool Node::MustWalkAgain(const DiskUse& disk) {
  const Instant now = edges_.clock.Now();
  const bool is_new = std::ranges::any_of(edges_.pods.Active(), [&](const PodFacts* facts) {
    return !disk.contains(facts->pod.uid) && !walked_.contains(facts->pod.uid);
  });
  if (!is_new) return false;
  summary_.node = edges_.figures.ReadNode();
  const auto threshold = MostUrgent(settings_.policy.thresholds, EvaluateNow(now).acting);
  if (!threshold || !IsDisk(*threshold)) return false;
  if (!disk_awaited_since_) disk_awaited_since_ = now;
  if (now >= *disk_awaited_since_ + kDiskUsePatience) return false;
  edges_.disk_walks.SetUrgent(true);
  return true;
}

bool Node::HasNews(Instant now) {
  summary_.node = edges_.figures.ReadNode();
  const Evaluation evaluation = EvaluateNow(now);
  if (evaluation.acting.any() || !(evaluation.next.conditions == standing_.state.conditions))
    return true;
  for (std::size_t i = 0; i < settings_.policy.thresholds.size(); ++i) {
    if (evaluation.met[i] && !standing_.state.first_observed_at[i]) return true;
  }
  return false;
}

void Node::FullPass(const DiskUse& disk) {
  const Instant now = edges_.clock.Now();
  pass_woken_at_ = std::exchange(woken_at_, std::nullopt).value_or(now);
  next_evaluation_ = now + settings_.monitoring_interval;
  disk_awaited_since_.reset();
  summary_.node = edges_.figures.ReadNode();
  ReadEnding();
  const auto threshold = MostUrgent(settings_.policy.thresholds, EvaluateNow(now).acting);
  if (!MayDecide(threshold)) return;
  edges_.figures.ReadPods(edges_.pods.Active(), &disk, summary_.pods);
  MarkStale(&disk);
  PreparePace(threshold, std::nullopt, now);
  // Storage limits are no hard threshold, so they wait for the clean-up.
  Run(standing_.wait.active() ? watch_policy_ : policy_, now);
  last_pod_stats_ = summary_.pods;
  pods_measured_at_ = now;
  disk_measured_at_.clear();
  for (const auto& [uid, use] : disk) disk_measured_at_[uid] = use.measured_at;
  if (!edges_.reclaimer.UnderWay()) edges_.reclaimer.Forget();
  CollectGarbage(now);
}

// A figure decides once as what was measured for a pass: in the first one after it came, however
// long that walk has taken. `disk` is what the pods' figures were made of; null: of nothing, so all
// are unknown.
void Node::MarkStale(const DiskUse* disk) {
  if (!NeedsWalk()) return;
  for (PodStats& stats : summary_.pods) {
    stats.stale_disk.reset();
    const auto use = disk == nullptr ? DiskUse::const_iterator() : disk->find(stats.uid);
    if (disk == nullptr || use == disk->end()) {
      stats.stale_disk.emplace();
      continue;
    }
    const auto before = disk_measured_at_.find(stats.uid);
    const bool again =
        before != disk_measured_at_.end() && before->second == use->second.measured_at;
    if (again || use->second.partial) {
      stats.stale_disk = StaleDisk{.measured_at = use->second.measured_at};
    }
  }
}

// Whoever waits for a disk holds up nobody who is short of something else.
void Node::PassWithoutDiskUse(std::size_t threshold, const Evaluation& evaluation,
                              std::optional<Instant> next_by_clock, Instant now) {
  const auto& thresholds = settings_.policy.thresholds;
  const auto other = MostUrgent(thresholds, WithoutDisks(thresholds, evaluation.acting));
  const auto acting_for = other ? other : threshold;
  if (MayDecide(threshold)) AwaitDiskUse(now);
  if (!MayDecide(acting_for)) return;
  const bool same_conditions = evaluation.next.conditions == standing_.state.conditions;
  if (!other) {
    // Nothing new could be decided for the disk.
    const bool lately = disk_passed_at_ && now < *disk_passed_at_ + settings_.monitoring_interval;
    if (same_conditions && (lately || DiskIsPaused(now))) return;
    disk_passed_at_ = now;
  }
  edges_.figures.ReadPods(edges_.pods.Active(), nullptr, summary_.pods);
  MarkStale(nullptr);
  PreparePace(acting_for, next_by_clock, now);
  if (other && same_conditions && IsToldPause(other, now)) return PlanPaceLook(now);
  Run(watch_policy_, now);
  // The reclaim may have been enough, or has only begun: its end looks again.
  const bool settled = last_report_->relieved_by_reclaim || last_report_->reclaim_under_way;
  if (!other && settled) disk_awaited_since_.reset();
}

// While a reclaim is under way nobody could go; its end asks for a full pass. Nor could anybody
// before an eviction has waited for its time.
void Node::AwaitDiskUse(Instant now) {
  if (edges_.reclaimer.UnderWay() || DiskIsPaused(now)) return;
  if (!disk_awaited_since_) disk_awaited_since_ = now;
  if (!scheduler_.measuring()) scheduler_.Request(now);
}

// Everything that has to be done before the walk is back.
void Node::WatchOverWalk() {
  const Instant now = edges_.clock.Now();
  if (scheduler_.measuring()) {
    const bool grace_is_over = grace_ends_ && *grace_ends_ <= now;
    if (next_evaluation_ <= now || grace_is_over) {
      grace_ends_.reset();
      next_evaluation_ = now;
      WatchPass();
    }
    if (disk_awaited_since_ && *disk_awaited_since_ + kDiskUsePatience <= now) {
      FullPass(edges_.disk_walks.LastKnown());
      if (DiskIsPaused(now) && !standing_.wait.active()) WatchAt(pause_->until);
    }
  }
  edges_.disk_walks.SetUrgent(disk_awaited_since_ ||
                              standing_.state.conditions.Has(NodeConditionType::kDiskPressure));
}

std::optional<Instant> Node::NextDuringWalk() const {
  if (!scheduler_.measuring()) return std::nullopt;
  Instant next = next_evaluation_;
  if (grace_ends_) next = std::min(next, *grace_ends_);
  if (disk_awaited_since_) next = std::min(next, *disk_awaited_since_ + kDiskUsePatience);
  return next;
}

}  // namespace jettison
