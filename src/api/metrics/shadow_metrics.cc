#include "api/metrics/metric_sections.h"
#include "core/shadow/shadow_pairing.h"

namespace jettison {

using enum MetricType;

void WriteShadowMetrics(const Snapshot& snapshot, MetricsWriter& writer) {
  const ShadowCounters* const counters = snapshot.shadow ? &snapshot.shadow->counters : nullptr;
  writer.Family("jettison_shadow_agreements_total", kCounter,
                "Pods that a dry run would have evicted before the kubelet evicted them.");
  if (counters != nullptr) writer.Sample(counters->Of(ShadowVerdict::kAgreed));
  writer.Family("jettison_shadow_disagreements_total", kCounter,
                "Evictions in which a dry run and the kubelet differ, by kind of difference.");
  for (const ShadowVerdict verdict : kAllShadowVerdicts) {
    if (counters == nullptr || verdict == ShadowVerdict::kAgreed) continue;
    writer.Sample({{"kind", NameOf(verdict)}}, counters->Of(verdict));
  }
  writer.Family("jettison_shadow_lead_seconds", kHistogram,
                "Time by which the dry run was earlier than the kubelet, for evictions in which "
                "the two agree.");
  if (counters == nullptr) return;
  writer.Observed(
      {},
      {.bounds = kShadowLeadBounds, .classes = counters->lead_classes, .sum = counters->lead_sum});
}

}  // namespace jettison
