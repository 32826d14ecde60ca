#include "agent/cluster/shadow_watch.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/model/eviction_order.h"
#include "core/pods/pod_facts.h"
#include "core/report/cycle_report.h"
#include "core/units/wall_time.h"

namespace jettison {
namespace {

// When the kubelet began to evict the pod, which is a while before the pod has ended. It tells the
// second, whose beginning counts. (kubelet 1.36: eviction_manager.go evictPod; a pod that broke a
// limit of its own has no such condition)
Instant EvictedAt(const kube::ApiPod& pod, const Clock& clock) {
  const auto at = std::ranges::find_if(pod.conditions, [](const kube::Condition& condition) {
    return condition.type == "DisruptionTarget" && condition.status == "True" &&
           condition.reason == "TerminationByKubelet";
  });
  if (at == pod.conditions.end() || !at->since) return clock.Now();
  return InstantOf(WallTime(at->since->time_since_epoch()), clock);
}

const PodFacts* FactsIn(const RecordedPass& pass, std::string_view uid) {
  const auto at =
      std::ranges::find_if(pass.pods, [uid](const auto& facts) { return facts->pod.uid == uid; });
  return at == pass.pods.end() ? nullptr : at->get();
}

}  // namespace

PodEnds::Listeners ShadowWatch::Listeners() {
  return {.on_ended = [this](const kube::ApiPod& pod) { TakeEnded(pod); },
          .on_gone = [this](const kube::ObjectHead& head) { TakeGone(head); }};
}

void ShadowWatch::TakePass(const RecordedPass& pass) {
  const CycleReport& report = pass.report;
  for (const EvictionRecord& record : report.evictions) {
    const PodFacts* const facts = FactsIn(pass, record.order.pod_uid);
    if (record.outcome != EvictOutcome::kDryRun || facts == nullptr) continue;
    ShadowIntent intent{.at = report.at,
                        .pod = {.uid = facts->pod.uid,
                                .namespace_ = facts->pod.namespace_,
                                .name = facts->pod.name},
                        .signal = {},
                        .message = record.order.message};
    if (!record.storage_limit && report.acting_for) intent.signal = report.acting_for->signal;
    book_.NoteOurs(std::move(intent));
  }
}

void ShadowWatch::TakeEnded(const kube::ApiPod& pod) {
  if (pod.phase != "Failed" || pod.reason != kReasonEvicted) {
    return book_.NoteGone(pod.head.uid, clock_.Now());
  }
  const Instant at = EvictedAt(pod, clock_);
  // Nobody was there to foresee it.
  if (at < began_) return;
  book_.NoteKubelets(
      {.at = at,
       .pod = {.uid = pod.head.uid, .namespace_ = pod.head.namespace_, .name = pod.head.name},
       .message = pod.message});
}

void ShadowWatch::TakeGone(const kube::ObjectHead& head) {
  book_.NoteGone(head.uid, clock_.Now());
}

}  // namespace jettison
