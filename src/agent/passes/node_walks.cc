#include "agent/passes/node_walks.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace jettison {

NodeWalks::NodeWalks(const NodeSettings& settings, const NodeDependencies& dependencies,
                     const NodeState& node)
    : interval_(settings.monitoring_interval),
      serves_for_(settings.walk_serves),
      pods_(dependencies.pods),
      reclaimer_(dependencies.reclaimer),
      walks_(dependencies.disk_walks),
      node_(node) {}

bool NodeWalks::AreNeeded() const {
  return !pods_.Active().empty() && node_.policies.NeedDiskUse();
}

// Before a pod is evicted for a disk, there is another walk in any case.
bool NodeWalks::LastServes(const ReadingPlan& plan) const {
  const bool is_recent = began_at_ && *began_at_ > plan.now - serves_for_;
  return is_recent && !FindsDiskShort(plan) && !IsUnderPressure() &&
         std::ranges::all_of(pods_.Active(), [this](const SharedPodFacts& facts) {
           return !facts->HasStorageLimits() && uids_.contains(facts->pod.uid);
         });
}

void NodeWalks::BeginWalk(bool disk_is_short, Instant now) {
  began_at_ = now;
  began_short_ = disk_is_short;
  uids_.clear();
  const std::vector<SharedPodFacts> pods = pods_.Active();
  for (const SharedPodFacts& facts : pods) uids_.insert(facts->pod.uid);
  walks_.Start(PointersTo(pods), disk_is_short);
}

void NodeWalks::Begin(const ReadingPlan& plan) {
  BeginWalk(FindsDiskShort(plan), plan.now);
}

// A pod may have filled the disk unseen: one that was added after the walk had begun, or, if the
// disk became short during the walk, any that had been measured before. Whoever filled the disk
// cannot be evicted before that is measured. The wait for it is limited like that for any walk. A
// pod whose files cannot be read at the moment may be the one that fills the disk, too.
WalkResult NodeWalks::Judge(const ReadingPlan& plan, const DiskUse& disk) {
  if (!plan.disk) return WalkResult::kCounts;
  const bool may_miss_cause = std::ranges::any_of(pods_.Active(), [&](const SharedPodFacts& facts) {
    const std::string& uid = facts->pod.uid;
    return !began_short_ || (!disk.contains(uid) && !uids_.contains(uid));
  });
  const auto unread_until = walks_.UnreadUntil();
  if (may_miss_cause || unread_until) Demand(plan.now);
  if (may_miss_cause && !HaveKeptWaiting(plan.now)) {
    walks_.SetUrgent(true);
    BeginWalk(true, plan.now);
    return WalkResult::kWalksAgain;
  }
  if (!unread_until) return WalkResult::kCounts;
  extended_to_ = *unread_until;
  return WalkResult::kUnread;
}

void NodeWalks::SetUrgency() {
  walks_.SetUrgent(demanded_at_.has_value() || IsUnderPressure());
}

std::optional<Instant> NodeWalks::GivesUpAt() const {
  if (!demanded_at_) return std::nullopt;
  return std::max(*demanded_at_ + kDiskUsePatience, extended_to_.value_or(*demanded_at_));
}

bool NodeWalks::FindsDiskShort(const ReadingPlan& plan) const {
  const std::span<const Threshold> thresholds = node_.policies->thresholds;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (plan.evaluation.met.test(i) && IsOfDisk(thresholds[i].signal)) return true;
  }
  return false;
}

bool NodeWalks::IsUnderPressure() const {
  return node_.standing.state.conditions.Has(NodeConditionType::kDiskPressure);
}

bool NodeWalks::IsPausedFor(const ReadingPlan& plan) const {
  return node_.pacing.PausesDisk(node_.policies->thresholds[*plan.disk].IsHard(), plan.now);
}

bool NodeWalks::Await(const ReadingPlan& plan) {
  if (!plan.disk) DropDemand();
  if (!plan.disk || reclaimer_.UnderWay() || IsPausedFor(plan)) return false;
  Demand(plan.now);
  return true;
}

bool NodeWalks::IsDoneWithout(const ReadingPlan& plan) const {
  const bool was_just_passed = passed_without_at_ && plan.now < *passed_without_at_ + interval_;
  return was_just_passed || IsPausedFor(plan);
}

}  // namespace jettison
