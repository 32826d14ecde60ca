#include "agent/cluster/cluster_evictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/units/duration.h"
#include "sources/kubernetes/calls/object_calls.h"

namespace jettison {
namespace {

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

}  // namespace

ClusterEvictions::ClusterEvictions(const ClusterAccess& access, IsSettled taint_is_settled,
                                   OnOver on_over)
    : caller_(access),
      taint_is_settled_(std::move(taint_is_settled)),
      on_over_(std::move(on_over)) {}

void ClusterEvictions::Begin(kube::EvictionIntent intent,
                             std::optional<NodeConditionType> condition, Instant now) {
  if (IsUnderWay(intent.uid)) return;
  Add(std::move(intent), condition, now, condition ? now + kube::PodEviction::kTaintPatience : now);
  Advance(now);
}

void ClusterEvictions::Add(kube::EvictionIntent intent, std::optional<NodeConditionType> condition,
                           Instant evicted_at, Instant delete_due) {
  evictions_.emplace(next_id_++,
                     Eviction{.steps = kube::PodEviction(std::move(intent), evicted_at, delete_due),
                              .condition = condition});
  ++changes_.evictions;
}

bool ClusterEvictions::IsUnderWay(std::string_view uid) const {
  return std::ranges::any_of(
      evictions_, [uid](const auto& entry) { return entry.second.steps.intent().uid == uid; });
}

bool ClusterEvictions::IsEvicted(std::string_view uid) const {
  const auto over = over_.find(uid);
  return IsUnderWay(uid) ||
         (over != over_.end() && caller_.clock().Now() < over->second + kMayBeOld);
}

std::vector<kube::EvictionIntent> ClusterEvictions::Resume(
    std::vector<kube::EvictionIntent> earlier, Instant now) {
  std::erase_if(earlier, [this](const kube::EvictionIntent& intent) {
    return IsEvicted(intent.uid) || DropOfEarlierBoot(intent);
  });
  for (const kube::EvictionIntent& intent : earlier) {
    Add(intent, std::nullopt, InstantOf(intent.evicted_at, caller_.clock()), now);
  }
  return earlier;
}

// Nothing that ran before a boot still runs after it, nor is its group held. The kubelet starts the
// pod afresh on a node whose shortage is over.
bool ClusterEvictions::DropOfEarlierBoot(const kube::EvictionIntent& intent) {
  const std::string boot_id = caller_.clock().Mark().boot_id;
  if (intent.boot_id.empty() || boot_id.empty() || intent.boot_id == boot_id) return false;
  ++changes_.all;
  caller_.log().Warn(
      "the machine was restarted before the eviction of a pod was reported to the API server; the "
      "kubelet starts the pod afresh, and it is not evicted",
      {{"pod", intent.namespace_ + "/" + intent.name}, {"uid", intent.uid}});
  return true;
}

void ClusterEvictions::Advance(Instant now) {
  for (auto next = evictions_.begin(); next != evictions_.end();) {
    const auto at = next++;
    auto& [steps, condition] = at->second;
    if (condition && taint_is_settled_(*condition)) {
      steps.TaintSettled(now);
      condition.reset();
    }
    for (kube::EvictionCall& call : steps.TakeCalls(now, caller_.clock().Wall())) {
      Ask(at->first, steps.intent().uid, std::move(call));
    }
    EndIfOver(at);
  }
}

void ClusterEvictions::Ask(std::uint64_t eviction, const std::string& uid,
                           kube::EvictionCall call) {
  caller_.Ask(std::move(call.call), call.timeout,
              [this, eviction, uid, purpose = call.purpose](const Result<kube::ApiReply>& reply) {
                Take(eviction, purpose, kube::OutcomeOf(reply, {.kind = "Pod", .uid = uid}));
              });
}

void ClusterEvictions::Take(std::uint64_t eviction, kube::CallPurpose purpose,
                            const kube::Outcome& outcome) {
  caller_.Complain(purpose, outcome);
  const Instant now = caller_.clock().Now();
  if (const auto at = evictions_.find(eviction); at != evictions_.end()) {
    at->second.steps.Take(purpose, outcome, now);
    EndIfOver(at);
  }
  Advance(now);
}

// A pod that was given up may have been started again under the same UID, and be evicted again.
void ClusterEvictions::EndIfOver(Evictions::iterator at) {
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
  on_over_(intent, *end);
}

std::optional<Instant> ClusterEvictions::NextDeadline() const {
  std::optional<Instant> next;
  for (const auto& [id, eviction] : evictions_) next = Earliest({next, eviction.steps.due()});
  return next;
}

std::vector<kube::EvictionIntent> ClusterEvictions::Unfinished() const {
  std::vector<kube::EvictionIntent> intents;
  for (const auto& [id, eviction] : evictions_) intents.push_back(eviction.steps.intent());
  return intents;
}

ClusterSoftEvictions::ClusterSoftEvictions(ClusterSoftEvictionDependencies dependencies,
                                           const kube::SoftEvictionLimits& limits)
    : dependencies_(std::move(dependencies)), book_(limits), caller_(dependencies_.access) {}

void ClusterSoftEvictions::Ask(const EvictionOrder& asked, Instant now) {
  EvictionOrder order = asked;
  order.left_to_agent = dependencies_.kills_at_once(order.pod_uid);
  book_.Asked(order.pod_uid, now);
  const std::string pod = dependencies_.name_of_pod(order.pod_uid);
  const auto target = TargetOf(pod, order.pod_uid);
  if (!target) return Take(order, pod, {.result = kube::CallResult::kGone, .why = {}});
  caller_.log().Debug("eviction manager: the API server is asked whether a pod may be evicted",
                      {{"pod", pod}});
  caller_.Ask(kube::EvictPod(*target, {.grace_seconds = order.grace_period_seconds,
                                       .dry_run = order.left_to_agent}),
              kTimeout, [this, order, pod](const Result<kube::ApiReply>& reply) {
                Take(order, pod, kube::OutcomeOf(reply, {.kind = "Pod", .uid = order.pod_uid}));
              });
}

void ClusterSoftEvictions::Take(const EvictionOrder& order, const std::string& pod,
                                const kube::Outcome& outcome) {
  const Instant now = caller_.clock().Now();
  const kube::SoftVerdict verdict = book_.Take(order.pod_uid, outcome, now);
  ++changes_;
  if (verdict.answer != kube::SoftAnswer::kSpared) {
    caller_.Complain(kube::CallPurpose::kEvictPod, outcome);
  }
  if (verdict.spared) LogSpared(*verdict.spared, pod, now);
  answers_.push_back({.order = order, .granted = verdict.answer == kube::SoftAnswer::kGranted});
}

void ClusterSoftEvictions::LogSpared(const SparedPod& spared, const std::string& pod, Instant now) {
  caller_.log().Warn("eviction manager: pod is spared by soft thresholds",
                     {{"pod", pod}, {"until", FormatInstant(spared.until)}, {"why", spared.why}});
  dependencies_.events.Add(now, pod,
                           {.object = spared.uid,
                            .type = EventType::kNormal,
                            .reason = "SoftEvictionRefused",
                            .message = fmt::format("No soft threshold evicts the pod until {}: {}",
                                                   FormatInstant(spared.until), spared.why),
                            .annotations = {}});
}

std::optional<SoftAnswered> ClusterSoftEvictions::TakeAnswer() {
  if (answers_.empty()) return std::nullopt;
  SoftAnswered answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

}  // namespace jettison
