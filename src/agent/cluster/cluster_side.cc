#include "agent/cluster/cluster_side.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "core/units/duration.h"

namespace jettison {
namespace {

// The condition whose taint keeps further pods off the node meanwhile.
std::optional<NodeConditionType> ConditionOf(const EvictionOrder& order) {
  const auto starved = order.annotations.find("starved_resource");
  if (!order.disruption_target || starved == order.annotations.end()) return std::nullopt;
  const std::string& resource = starved->second;
  if (resource == "memory" || resource == "swap") return NodeConditionType::kMemoryPressure;
  if (resource == "pids") return NodeConditionType::kPidPressure;
  return NodeConditionType::kDiskPressure;
}

// What is left of its grace period. Steps of the wall clock do not make it longer.
Duration GraceLeft(const kube::EvictionIntent& intent, Instant now, const Clock& clock) {
  const Duration grace = std::chrono::seconds(intent.grace_seconds);
  return std::clamp(Elapsed(now, InstantOf(intent.evicted_at, clock) + grace), Duration(0), grace);
}

EvictionOrder OrderOf(const kube::EvictionIntent& intent, Duration left) {
  return {.pod_uid = intent.uid,
          .grace_period_seconds = std::chrono::ceil<std::chrono::seconds>(left).count(),
          .message = intent.message,
          .annotations = {},
          .disruption_target = intent.disruption_target};
}

constexpr std::int64_t kNoLimit = -1;

std::string PodOf(const kube::EvictionIntent& intent) {
  return intent.namespace_ + "/" + intent.name;
}

// To a group that is gone, Create would make it again. kNotFound: it is gone, or there is none.
Result<void> Limit(const kube::EvictionIntent& intent, std::int64_t processes, Cgroups& groups) {
  if (intent.held_group.empty()) return Fail(ErrorCode::kNotFound, "the group is not known");
  if (const auto there = groups.Children(intent.held_group); !there) return Fail(there.error());
  return groups.Create(intent.held_group, {.pids_max = processes});
}

// Sets a limit of no processes on the group of an evicted pod, so that the kubelet can start
// nothing in it. A group that is gone is left alone. What fails is logged.
void HoldGroup(const kube::EvictionIntent& intent, Cgroups& groups, const Log& log) {
  const auto held = Limit(intent, 0, groups);
  if (held || held.error().code == ErrorCode::kNotFound) return;
  log.Warn("the group of an evicted pod cannot be held; the kubelet may start the pod again",
           {{"pod", PodOf(intent)}, {"err", held.error().message}});
}

// Restores the limit that the group had. False: it could not be restored, which is logged, and the
// pod can start no processes.
bool FreeGroup(const kube::EvictionIntent& intent, Cgroups& groups, const Log& log) {
  const auto freed = Limit(intent, intent.pids_limit.value_or(kNoLimit), groups);
  if (freed || freed.error().code == ErrorCode::kNotFound) return true;
  log.Warn("the process limit of a pod cannot be restored; the pod can start no processes",
           {{"pod", PodOf(intent)}, {"err", freed.error().message}});
  return false;
}

}  // namespace

void HeldOrphans::FreeAt(const kube::EvictionIntent& intent, Instant at) {
  to_free_.push_back(intent);
  free_at_ = std::min(free_at_.value_or(at), at);
}

bool HeldOrphans::Has(const std::string& uid) const {
  return std::ranges::find(to_free_, uid, &kube::EvictionIntent::uid) != to_free_.end();
}

void HeldOrphans::Advance(const std::function<bool(const std::string& uid)>& is_evicted,
                          Instant now) {
  for (kube::FoundHeld& held : dependencies_.take_held()) {
    if (is_evicted(held.head.uid) || Has(held.head.uid)) continue;
    Take(std::move(held));
    free_at_ = now;
  }
  if (to_free_.empty()) return;
  if (free_at_ && now < *free_at_) return;
  std::erase_if(to_free_, [&](const kube::EvictionIntent& pod) {
    return is_evicted(pod.uid) || FreeGroup(pod, dependencies_.groups, dependencies_.log);
  });
  free_at_ = to_free_.empty() ? std::nullopt : std::optional(now + kFreeEvery);
}

void HeldOrphans::Take(kube::FoundHeld held) {
  dependencies_.log.Warn(
      "a pod can start no process, although its eviction is not recorded or not continued; its "
      "process limit is restored, and the kubelet may start it again",
      {{"pod", held.head.namespace_ + "/" + held.head.name}, {"uid", held.head.uid}});
  to_free_.push_back({.namespace_ = std::move(held.head.namespace_),
                      .name = std::move(held.head.name),
                      .uid = std::move(held.head.uid),
                      .message = {},
                      .evicted_at = {},
                      .boot_id = {},
                      .held_group = std::move(held.group),
                      .pids_limit = dependencies_.pids_limit});
}

ClusterSide::ClusterSide(ClusterSideDependencies dependencies, const std::string& node)
    : dependencies_(std::move(dependencies)),
      node_({.cluster = dependencies_.cluster,
             .clock = dependencies_.clock,
             .log = dependencies_.log},
            node),
      evictions_({.cluster = dependencies_.cluster,
                  .clock = dependencies_.clock,
                  .log = dependencies_.log,
                  .urge_taint = [this](NodeConditionType condition,
                                       Instant now) { node_.Urge(condition, now); },
                  .taint_is_settled =
                      [this](NodeConditionType condition) { return node_.IsSettled(condition); },
                  .on_found = [this](const kube::EvictionIntent& intent) { OnFound(intent); },
                  .on_over = [this](const kube::EvictionIntent& intent,
                                    kube::EvictionEnd end) { OnOver(intent, end); }}),
      events_({.cluster = dependencies_.cluster,
               .clock = dependencies_.clock,
               .log = dependencies_.log,
               .name_of_pod = dependencies_.name_of_pod},
              node),
      orphans_(dependencies_) {}

void ClusterSide::ReportEvents(const EventLog& log, Instant now) {
  if (dependencies_.dry_run || log.count() == told_events_) return;
  for (const LoggedEvent& event : log.events()) {
    if (event.sequence > told_events_) events_.Report(event.event, now);
  }
  told_events_ = log.count();
}

void ClusterSide::Resume(std::vector<kube::EvictionIntent> earlier) {
  if (!dependencies_.dry_run) return evictions_.Resume(std::move(earlier));
  for (const kube::EvictionIntent& intent : earlier) {
    orphans_.FreeAt(intent, dependencies_.clock.Now());
  }
}

void ClusterSide::Advance(Instant now) {
  node_.Advance(now);
  evictions_.Advance(now);
  events_.Advance(now);
  orphans_.Advance([this](const std::string& uid) { return evictions_.IsEvicted(uid); }, now);
}

std::optional<Instant> ClusterSide::NextDeadline() const {
  return Earliest({node_.NextDeadline(), evictions_.NextDeadline(), events_.NextDeadline(),
                   orphans_.NextDeadline()});
}

bool ClusterSide::Stop(Instant now) {
  if (!std::exchange(stopping_, true)) {
    node_.Stop(now);
    Advance(now);
  }
  return node_.IsStopped(now);
}

// A pod that could not be told to end keeps running. For a soft eviction that the API server
// carries out, it needs no call, because it deletes the pod; whether a mark of ours stayed would
// depend on when the kubelet last writes the pod's status.
void ClusterSide::Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome,
                           Instant now) {
  if (!outcome || *outcome == EvictOutcome::kDryRun) return;
  if (order.soft && !order.left_to_agent) {
    if (const auto condition = ConditionOf(order)) node_.Urge(*condition, now);
    return;
  }
  const std::string full_name = dependencies_.name_of_pod(order.pod_uid);
  const std::size_t slash = full_name.find('/');
  if (slash == std::string::npos) return;
  evictions_.Begin({.namespace_ = full_name.substr(0, slash),
                    .name = full_name.substr(slash + 1),
                    .uid = order.pod_uid,
                    .message = order.message,
                    .disruption_target = order.disruption_target,
                    .grace_seconds = order.grace_period_seconds,
                    .evicted_at = dependencies_.clock.Wall(),
                    .boot_id = dependencies_.clock.Mark().boot_id,
                    .held_group = dependencies_.group_of_pod(order.pod_uid),
                    .pids_limit = dependencies_.pids_limit},
                   ConditionOf(order), now);
}

// A pod of which nothing runs now may have ended as it was asked to. The kubelet starts it again
// until it learns of the eviction, so its group is held as after a kill.
void ClusterSide::OnFound(const kube::EvictionIntent& intent) {
  const Instant now = dependencies_.clock.Now();
  const Duration left = GraceLeft(intent, now, dependencies_.clock);
  if (dependencies_.end_pod(OrderOf(intent, left))) return;
  unended_.insert_or_assign(intent.uid, intent);
  if (left == Duration(0)) HoldGroup(intent, dependencies_.groups, dependencies_.log);
}

void ClusterSide::ContinueEvictions(Instant now) {
  std::erase_if(unended_, [&](const auto& entry) {
    const kube::EvictionIntent& intent = entry.second;
    return dependencies_.end_pod(OrderOf(intent, GraceLeft(intent, now, dependencies_.clock)));
  });
}

// If the pod could not be deleted in time, the kubelet may start it again.
void ClusterSide::OnOver(const kube::EvictionIntent& intent, kube::EvictionEnd end) {
  if (end != kube::EvictionEnd::kDeleted) unended_.erase(intent.uid);
  if (end != kube::EvictionEnd::kGivenUp) return;
  if (!FreeGroup(intent, dependencies_.groups, dependencies_.log)) {
    orphans_.FreeAt(intent, dependencies_.clock.Now() + HeldOrphans::kFreeEvery);
  }
  dependencies_.on_given_up(intent.uid);
}

}  // namespace jettison
