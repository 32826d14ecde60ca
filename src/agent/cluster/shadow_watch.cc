#include "agent/cluster/shadow_watch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/eviction.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/shadow/shadow_book.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

// The condition by which the kubelet says that it ends the pod; null: there is none. A pod that
// exceeded its own limit has none. (kubelet 1.36: eviction_manager.go evictPod)
const kube::Condition* EndByKubelet(const kube::ApiPod& pod) {
  const auto at = std::ranges::find_if(pod.conditions, [](const kube::Condition& condition) {
    return condition.type == "DisruptionTarget" && condition.status == "True" &&
           condition.reason == "TerminationByKubelet";
  });
  return at == pod.conditions.end() ? nullptr : &*at;
}

// When the kubelet began to evict the pod, which is some time before the pod has ended. The
// kubelet's time is in whole seconds; the beginning of the second counts.
Instant EvictedAt(const kube::ApiPod& pod, const Clock& clock) {
  const kube::Condition* const end = EndByKubelet(pod);
  if (end == nullptr || !end->since) return clock.Now();
  return InstantOf(WallTime(end->since->time_since_epoch()), clock);
}

// The kubelet's message about the eviction of a pod that has ended; absent: it ended otherwise. If
// all its programs exited with 0 when they were asked to end, the kubelet (1.36.2) sets the phase
// Succeeded without a reason, and only the condition shows the eviction. The condition has the same
// reason for other ends, such as a shutdown of the node; its message distinguishes them.
std::optional<std::string> EvictionMessageOf(const kube::ApiPod& pod) {
  if (pod.phase == "Failed" && pod.reason == kReasonEvicted) return pod.message;
  const kube::Condition* const end = EndByKubelet(pod);
  if (end == nullptr) return std::nullopt;
  return KubeletCauseOf(end->message).resource ? std::optional(end->message) : std::nullopt;
}

const PodFacts* FactsIn(const RecordedPass& pass, std::string_view uid) {
  const auto at =
      std::ranges::find_if(pass.pods, [uid](const auto& facts) { return facts->pod.uid == uid; });
  return at == pass.pods.end() ? nullptr : at->get();
}

}  // namespace

void ShadowWatch::TakePass(const RecordedPass& pass) {
  const CycleReport& report = pass.report;
  for (const EvictionRecord& record : report.evictions) {
    const PodFacts* const facts = FactsIn(pass, record.order.pod_uid);
    if (record.outcome != EvictOutcome::kDryRun || facts == nullptr) continue;
    ShadowSide side{.at = report.at,
                    .pod = IdentityOf(facts->pod),
                    .signal = {},
                    .message = record.order.message};
    if (!record.storage_limit && report.acting_for) side.signal = report.acting_for->signal;
    book_.NoteOurs(std::move(side));
  }
}

void ShadowWatch::TakePod(const kube::ApiPod& pod, bool has_listed) {
  if (!pod.IsTerminal() || !ended_.insert(pod.head.uid).second || !has_listed) return;
  const std::optional<std::string> message = EvictionMessageOf(pod);
  if (!message) return book_.NoteGone(pod.head.uid, clock_.Now());
  const Instant at = EvictedAt(pod, clock_);
  // The agent did not run yet, so it could not predict this eviction.
  if (at < began_) return;
  book_.NoteKubelets(
      {.at = at,
       .pod = {.namespace_ = pod.head.namespace_, .name = pod.head.name, .uid = pod.head.uid},
       .signal = {},
       .message = *message});
}

void ShadowWatch::TakeGone(const kube::ObjectHead& head) {
  ended_.erase(head.uid);
  book_.NoteGone(head.uid, clock_.Now());
}

}  // namespace jettison
