#include "agent/cluster/soft_evictions.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "sources/kubernetes/calls/object_calls.h"

namespace jettison {

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
