#include "agent/cluster/cluster_side.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "core/units/duration.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/objects/api_objects.h"

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

const char* WordsOf(kube::EvictionEnd end) {
  switch (end) {
    case kube::EvictionEnd::kDeleted: return "the API server deletes an evicted pod";
    case kube::EvictionEnd::kGone:
      return "an evicted pod had already been deleted from the cluster";
    case kube::EvictionEnd::kGivenUp:
      return "an evicted pod could not be deleted within an hour, and the agent stops trying; the "
             "kubelet may start it again";
  }
  return "";
}

constexpr std::int64_t kNoLimit = -1;
constexpr const char* kNotHeld =
    "the group of an evicted pod cannot be held; the kubelet may start the pod again";
constexpr const char* kNotFreed =
    "the process limit of a pod cannot be restored; the pod can start no processes";

}  // namespace

ClusterSide::ClusterSide(ClusterSideDependencies dependencies, const std::string& node)
    : dependencies_(std::move(dependencies)),
      name_(node),
      caller_(dependencies_.access),
      node_(dependencies_.access, node),
      events_(node) {}

// With a limit of no processes the kubelet can start nothing in the group of an evicted pod. To a
// group that is gone, Create would make it again.
bool ClusterSide::Limit(const kube::EvictionIntent& intent, std::int64_t processes,
                        const char* failure) {
  if (intent.held_group.empty()) return true;
  Result<void> done = dependencies_.groups.Children(intent.held_group).map([](const auto&) {});
  if (done) done = dependencies_.groups.Create(intent.held_group, {.pids_max = processes});
  if (done || done.error().code == ErrorCode::kNotFound) return true;
  caller_.log().Warn(
      failure, {{"pod", intent.namespace_ + "/" + intent.name}, {"err", done.error().message}});
  return false;
}

std::optional<kube::EventObject> ClusterSide::ObjectOf(const Event& event) const {
  constexpr std::string_view kNode = "node";
  if (event.object == kNode) {
    return kube::EventObject{.kind = "Node", .namespace_ = {}, .name = name_, .uid = name_};
  }
  auto pod = TargetOf(dependencies_.name_of_pod(event.object), event.object);
  if (!pod) return std::nullopt;
  return kube::EventObject{.kind = "Pod",
                           .namespace_ = std::move(pod->namespace_),
                           .name = std::move(pod->name),
                           .uid = std::move(pod->uid)};
}

void ClusterSide::ReportEvents(const EventLog& log, Instant now) {
  if (dependencies_.dry_run || log.count() == told_events_) return;
  for (const LoggedEvent& event : log.events()) {
    const auto about = event.sequence > told_events_ ? ObjectOf(event.event) : std::nullopt;
    if (about) events_.Tell(*about, event.event, now, caller_.clock().Wall());
  }
  told_events_ = log.count();
  SendEvents(now);
}

void ClusterSide::SendEvents(Instant now) {
  constexpr Duration kPatience = std::chrono::seconds(5);
  auto call = events_.TakeCall(now);
  if (!call) return;
  caller_.Ask(*std::move(call), kPatience, [this](const Result<kube::ApiReply>& reply) {
    const kube::Outcome outcome = kube::OutcomeOf(reply, {.kind = "Event", .uid = {}});
    caller_.Complain(events_.purpose(), outcome);
    events_.Take(outcome, caller_.clock().Now(), caller_.clock().Wall());
    SendEvents(caller_.clock().Now());
  });
}

// A pod of which nothing runs now may have ended as it was asked to. The kubelet starts it again
// until it learns of the eviction, so its group is held as after a kill.
void ClusterSide::Resume(std::vector<kube::EvictionIntent> earlier) {
  const Clock& clock = caller_.clock();
  const Instant now = clock.Now();
  for (kube::EvictionIntent& intent : earlier) {
    if (dependencies_.dry_run) {
      ToFree(std::move(intent), now);
      continue;
    }
    if (IsEvicted(intent.uid) || DropOfEarlierBoot(intent)) continue;
    Add(intent, std::nullopt, InstantOf(intent.evicted_at, clock), now);
    const Duration left = GraceLeft(intent, now, clock);
    if (dependencies_.end_pod(OrderOf(intent, left))) continue;
    if (left == Duration(0)) (void)Limit(intent, 0, kNotHeld);
    unended_.insert_or_assign(intent.uid, std::move(intent));
  }
}

void ClusterSide::ContinueEvictions(Instant now) {
  std::erase_if(unended_, [&](const auto& entry) {
    const kube::EvictionIntent& intent = entry.second;
    return dependencies_.end_pod(OrderOf(intent, GraceLeft(intent, now, caller_.clock())));
  });
}

void ClusterSide::Advance(Instant now) {
  node_.Advance(now);
  AdvanceEvictions(now);
  SendEvents(now);
  FreeHeld(now);
}

std::optional<Instant> ClusterSide::NextDeadline() const {
  auto next = Earliest({node_.NextDeadline(), events_.due(),
                        to_free_.empty() ? std::nullopt : std::optional(free_at_)});
  for (const auto& [id, eviction] : evictions_) next = Earliest({next, eviction.steps.due()});
  return next;
}

bool ClusterSide::Stop(Instant now) {
  if (!std::exchange(stopping_, true)) {
    node_.Stop(now);
    Advance(now);
  }
  return node_.IsStopped(now);
}

void ClusterSide::ToFree(kube::EvictionIntent intent, Instant now) {
  to_free_.push_back(std::move(intent));
  free_at_ = now;
}

void ClusterSide::FreeHeld(Instant now) {
  for (const kube::FoundHeld& held : dependencies_.take_held()) {
    const kube::ObjectHead& pod = held.head;
    if (IsEvicted(pod.uid)) continue;
    if (std::ranges::find(to_free_, pod.uid, &kube::EvictionIntent::uid) != to_free_.end())
      continue;
    caller_.log().Warn(
        "a pod can start no process, although its eviction is not recorded or not continued; its "
        "process limit is restored, and the kubelet may start it again",
        {{"pod", pod.namespace_ + "/" + pod.name}, {"uid", pod.uid}});
    ToFree({.namespace_ = pod.namespace_,
            .name = pod.name,
            .uid = pod.uid,
            .message = {},
            .evicted_at = {},
            .boot_id = {},
            .held_group = held.group,
            .pids_limit = dependencies_.pids_limit},
           now);
  }
  if (to_free_.empty() || now < free_at_) return;
  std::erase_if(to_free_, [&](const kube::EvictionIntent& pod) {
    if (IsEvicted(pod.uid)) return true;
    if (!Limit(pod, pod.pids_limit.value_or(kNoLimit), kNotFreed)) return false;
    dependencies_.on_given_up(pod.uid);
    unended_.erase(pod.uid);
    return true;
  });
  free_at_ = now + kFreeEvery;
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
  auto pod = TargetOf(dependencies_.name_of_pod(order.pod_uid), order.pod_uid);
  if (!pod) return;
  const auto condition = ConditionOf(order);
  if (condition) node_.Urge(*condition, now);
  if (IsUnderWay(order.pod_uid)) return;
  Add({.namespace_ = std::move(pod->namespace_),
       .name = std::move(pod->name),
       .uid = order.pod_uid,
       .message = order.message,
       .disruption_target = order.disruption_target,
       .grace_seconds = order.grace_period_seconds,
       .evicted_at = caller_.clock().Wall(),
       .boot_id = caller_.clock().Mark().boot_id,
       .held_group = dependencies_.group_of_pod(order.pod_uid),
       .pids_limit = dependencies_.pids_limit},
      condition, now, condition ? now + kube::PodEviction::kTaintPatience : now);
  AdvanceEvictions(now);
}

void ClusterSide::Add(kube::EvictionIntent intent, std::optional<NodeConditionType> condition,
                      Instant evicted_at, Instant delete_due) {
  evictions_.emplace(next_id_++,
                     Eviction{.steps = kube::PodEviction(std::move(intent), evicted_at, delete_due),
                              .condition = condition});
  ++changes_.evictions;
}

bool ClusterSide::IsUnderWay(std::string_view uid) const {
  return std::ranges::any_of(
      evictions_, [uid](const auto& entry) { return entry.second.steps.intent().uid == uid; });
}

bool ClusterSide::IsEvicted(std::string_view uid) const {
  const auto over = over_.find(uid);
  return IsUnderWay(uid) ||
         (over != over_.end() && caller_.clock().Now() < over->second + kMayBeOld);
}

// Nothing that ran before a boot still runs after it, nor is its group held. The kubelet starts the
// pod afresh on a node whose shortage is over.
bool ClusterSide::DropOfEarlierBoot(const kube::EvictionIntent& intent) {
  const std::string boot_id = caller_.clock().Mark().boot_id;
  if (intent.boot_id.empty() || boot_id.empty() || intent.boot_id == boot_id) return false;
  ++changes_.all;
  caller_.log().Warn(
      "the machine was restarted before the eviction of a pod was reported to the API server; the "
      "kubelet starts the pod afresh, and it is not evicted",
      {{"pod", intent.namespace_ + "/" + intent.name}, {"uid", intent.uid}});
  return true;
}

void ClusterSide::AdvanceEvictions(Instant now) {
  for (auto next = evictions_.begin(); next != evictions_.end();) {
    const auto at = next++;
    auto& [steps, condition] = at->second;
    if (condition && node_.IsSettled(*condition)) {
      steps.TaintSettled(now);
      condition.reset();
    }
    for (kube::EvictionCall& call : steps.TakeCalls(now, caller_.clock().Wall())) {
      Ask(at->first, steps.intent().uid, std::move(call));
    }
    EndIfOver(at);
  }
}

void ClusterSide::Ask(std::uint64_t eviction, const std::string& uid, kube::EvictionCall call) {
  caller_.Ask(std::move(call.call), call.timeout,
              [this, eviction, uid, purpose = call.purpose](const Result<kube::ApiReply>& reply) {
                Take(eviction, purpose, kube::OutcomeOf(reply, {.kind = "Pod", .uid = uid}));
              });
}

void ClusterSide::Take(std::uint64_t eviction, kube::CallPurpose purpose,
                       const kube::Outcome& outcome) {
  caller_.Complain(purpose, outcome);
  const Instant now = caller_.clock().Now();
  if (const auto at = evictions_.find(eviction); at != evictions_.end()) {
    at->second.steps.Take(purpose, outcome, now);
    EndIfOver(at);
  }
  AdvanceEvictions(now);
}

// A pod that was given up may have been started again under the same UID, and be evicted again. If
// it could not be deleted in time, the kubelet may start it again.
void ClusterSide::EndIfOver(Evictions::iterator at) {
  const auto end = at->second.steps.end();
  if (!end) return;
  const kube::EvictionIntent intent = at->second.steps.intent();
  evictions_.erase(at);
  ++changes_.all;
  const std::string pod = intent.namespace_ + "/" + intent.name;
  if (*end == kube::EvictionEnd::kGivenUp) {
    caller_.log().Warn(WordsOf(*end), {{"pod", pod}, {"uid", intent.uid}});
  } else {
    const Instant now = caller_.clock().Now();
    std::erase_if(over_, [now](const auto& over) { return now >= over.second + kMayBeOld; });
    over_.insert_or_assign(intent.uid, now);
    caller_.log().Info(WordsOf(*end), {{"pod", pod}, {"uid", intent.uid}});
  }
  if (*end != kube::EvictionEnd::kDeleted) unended_.erase(intent.uid);
  if (*end == kube::EvictionEnd::kGivenUp) ToFree(intent, caller_.clock().Now());
}

std::vector<kube::EvictionIntent> ClusterSide::Unfinished() const {
  std::vector<kube::EvictionIntent> intents;
  for (const auto& [id, eviction] : evictions_) intents.push_back(eviction.steps.intent());
  return intents;
}

}  // namespace jettison
