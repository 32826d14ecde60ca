#include "core/explain/pod_ranking.h"

#include <algorithm>
#include <vector>

#include "core/decide/ranking.h"
#include "core/model/pressure.h"
#include "core/pods/pod_kind.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

RankedPod Describe(const ActivePod& pod, const RankKey& key, Signal signal, DiskLayout layout,
                   Candidates candidates) {
  const Resource resource = ResourceOf(signal);
  const ResourceRow& row = RowOf(resource);
  RankedPod ranked{.pod = IdentityOf(*pod.facts),
                   .qos = QosClassOf(pod.facts->pod),
                   .priority = pod.facts->priority,
                   .measured = pod.stats != nullptr,
                   .exceeds_request = key.known && !key.within_request && pod.stats != nullptr &&
                                      row.ranked_by != RankedBy::kCount,
                   .usage = UsageOf(pod, signal, layout),
                   .critical = pod.facts->IsProtected() && !pod.facts->IsSpared(),
                   .may_go = IsCandidate(pod, signal, layout, candidates)};
  ranked.keeps_to_request = !ranked.may_go && MayGo(pod, signal);
  if (row.requested) ranked.request = WholeUnits(RequestFor(*pod.facts, resource));
  if (pod.stats != nullptr) ranked.excess = WholeUnits(-key.negated_excess);
  return ranked;
}

// Where the shown part of an order begins: `place` is in its middle, if possible.
std::size_t BeginOfPart(std::size_t place, std::size_t total, std::size_t limit) {
  if (total <= limit) return 0;
  const std::size_t half = limit / 2;
  return std::min(place > half ? place - half : 0, total - limit);
}

}  // namespace

PodIdentity IdentityOf(const PodFacts& facts) {
  return {.namespace_ = facts.pod.namespace_, .name = facts.pod.name, .uid = facts.pod.uid};
}

PodOrder OrderOf(std::span<const ActivePod> pods, Signal signal, DiskLayout layout,
                 Candidates candidates, std::optional<std::size_t> chosen, std::size_t limit) {
  const std::vector<std::size_t> ranked = RankedPods(pods, signal, layout);
  const auto at = chosen ? std::ranges::find(ranked, *chosen) : ranked.begin();
  const std::size_t begin =
      BeginOfPart(static_cast<std::size_t>(at - ranked.begin()), ranked.size(), limit);
  const std::size_t end = begin + std::min(limit, ranked.size() - begin);
  PodOrder order{.signal = signal, .total = ranked.size(), .pods = {}};
  order.pods.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const ActivePod& pod = pods[ranked[i]];
    const RankKey key = RankOf(pod, signal, layout);
    RankedPod& told = order.pods.emplace_back(Describe(pod, key, signal, layout, candidates));
    told.place = i + 1;
    told.chosen = chosen == ranked[i];
    if (i + 1 == ranked.size()) continue;
    told.decided_by = DecidingField(key, RankOf(pods[ranked[i + 1]], signal, layout));
  }
  return order;
}

}  // namespace jettison
