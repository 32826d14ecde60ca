#include "sim/explain_now.h"

#include <algorithm>
#include <span>

#include "apply/pass.h"
#include "core/decide/ranking.h"
#include "core/explain/explain.h"
#include "core/pods/pod_kind.h"
#include "sim/replay.h"

namespace jettison {
namespace {

std::vector<const PodFacts*> PointersTo(const NodeNow& node) {
  std::vector<const PodFacts*> pods;
  pods.reserve(node.pods.size());
  for (const auto& facts : node.pods) pods.push_back(facts.get());
  return pods;
}

std::vector<ActivePod> ActivePods(const NodeNow& node) {
  return JoinStats(PointersTo(node), *node.summary);
}

// The state of the last pass, with every figure counting as new, because the next pass reads all
// again.
EvictionState StateNow(const NodeNow& node) {
  EvictionState state = node.state;
  state.last_observations = {};
  return state;
}

bool AnyIsMeasured(std::span<const ActivePod> pods) {
  return std::ranges::any_of(pods, [](const ActivePod& pod) {
    return pod.stats != nullptr && pod.stats->memory_working_set_bytes.has_value();
  });
}

PassExplanation ExplainImagined(const NodeNow& node) {
  const std::vector<const PodFacts*> pods = PointersTo(node);
  RecordedPass pass{.number = node.passes + 1,
                    .policy = node.policy,
                    .before = StateNow(node),
                    .summary = *node.summary,
                    .pods = node.pods,
                    .pace = node.pace};
  EvictionState state = pass.before;
  ImaginedNode same([](const EvictionOrder&) { return EvictOutcome::kDryRun; }, node.summary->node);
  NodePorts ports{.killer = same, .reclaimer = same, .summaries = same};
  pass.report = RunPass(*node.policy,
                        {.now = node.at, .summary = pass.summary, .pods = pods, .pace = node.pace},
                        ports, state);
  pass.report.spared = node.spared;
  PassExplanation explanation =
      Explain(pass, {.hypothetical = true, .memory_estimator = node.memory_estimator});
  const std::vector<ActivePod> active = JoinStats(pods, *node.summary);
  // What they hold is not known.
  if (!active.empty() && !AnyIsMeasured(active)) return explanation;
  explanation.holders.clear();
  for (const Signal signal :
       SignalsWithHolders(node.policy->thresholds, pass.report.evaluation.met)) {
    auto holders = HoldersOf(signal, node.summary->node, active, node.policy->layout,
                             node.pace ? node.pace->ending : 0);
    if (holders) explanation.holders.push_back(*std::move(holders));
  }
  return explanation;
}

// The signals with a threshold, in the order of their urgency.
std::vector<Signal> SignalsOf(const NodeNow& node) {
  std::vector<Signal> signals;
  for (const Signal signal : kAllSignals) {
    const bool watched = std::ranges::any_of(
        node.policy->thresholds, [signal](const Threshold& t) { return t.signal == signal; });
    if (watched) signals.push_back(signal);
  }
  return signals;
}

std::string ProtectionOf(const PodFacts& facts) {
  switch (facts.protection) {
    case Protection::kNone: return "";
    case Protection::kObserved: return "it is a foreign pod, which is only observed";
    case Protection::kSpared:
      return "a disruption budget does not allow its eviction for a soft threshold";
    case Protection::kCritical: break;
  }
  return IsCriticalByPriority(facts.pod) ? "its priority is system-critical" : "it is a static pod";
}

// Who may be evicted for the signal as the node is now.
Candidates CandidatesNow(Signal signal, const NodeNow& node) {
  const Observations seen = ObservationsFrom(*node.summary);
  return CandidatesFor(signal, node.policy->thresholds,
                       Evaluate(*node.policy, StateNow(node), seen, node.at));
}

PodPlace PlaceOf(std::span<const ActivePod> pods, std::size_t index, Signal signal,
                 const NodeNow& node, const Observations& seen) {
  constexpr std::size_t kWithNeighbours = 4;
  const DiskLayout layout = node.policy->layout;
  const Candidates candidates = CandidatesNow(signal, node);
  const PodOrder order = OrderOf(pods, signal, layout, candidates, index, kWithNeighbours);
  const auto self = std::ranges::find_if(order.pods, &RankedPod::chosen);
  PodPlace place{.signal = signal, .total = order.total, .self = *self};
  place.self.chosen = FirstVictim(pods, signal, layout, candidates) == index;
  if (self != order.pods.begin()) place.before = *(self - 1);
  if (self + 1 != order.pods.end()) place.after = *(self + 1);
  if ((!place.self.may_go && !place.self.keeps_to_request) || !seen[signal]) return place;
  const ShiftInputs shift{.pods = pods,
                          .index = index,
                          .signal = signal,
                          .layout = layout,
                          .candidates = candidates,
                          .capacity = seen[signal]->capacity};
  (place.self.chosen ? place.less_usage : place.more_usage) = ShiftOf(shift);
  return place;
}

std::optional<StorageViolation> ViolationOf(const ActivePod& pod, const PassPolicy& policy) {
  if (!policy.local_storage_capacity_isolation) return std::nullopt;
  const auto broken = StorageViolations(std::span(&pod, 1), policy.layout);
  if (broken.empty()) return std::nullopt;
  return broken.front();
}

}  // namespace

NodeExplanation ExplainNode(const NodeNow& node, std::size_t first) {
  NodeExplanation explanation{.waiting_for_cleanup = node.waiting_for_cleanup,
                              .pass = ExplainImagined(node),
                              .signals = {},
                              .first = {}};
  std::vector<ThresholdFacts>& thresholds = explanation.pass.thresholds;
  for (std::size_t i = 0; i < std::min(thresholds.size(), node.time_to.size()); ++i) {
    if (!thresholds[i].met) thresholds[i].time_to = node.time_to[i];
  }
  const std::vector<ActivePod> pods = ActivePods(node);
  const DiskLayout layout = node.policy->layout;
  for (const Signal signal : SignalsOf(node)) {
    explanation.signals.push_back(ReadingOf(signal, *node.summary, node.memory_estimator));
    const Candidates candidates = CandidatesNow(signal, node);
    explanation.first.push_back(OrderOf(pods, signal, layout, candidates,
                                        FirstVictim(pods, signal, layout, candidates), first));
  }
  return explanation;
}

std::optional<PodExplanation> ExplainPod(const NodeNow& node, std::string_view uid) {
  const std::vector<ActivePod> pods = ActivePods(node);
  const auto found =
      std::ranges::find_if(pods, [uid](const ActivePod& pod) { return pod.facts->pod.uid == uid; });
  if (found == pods.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(found - pods.begin());
  const PodFacts& facts = *found->facts;
  PodExplanation explanation{.at = node.at,
                             .pod = IdentityOf(facts.pod),
                             .qos = QosClassOf(facts.pod),
                             .priority = facts.priority,
                             .protected_by = ProtectionOf(facts)};
  const Observations seen = ObservationsFrom(*node.summary);
  for (const Signal signal : SignalsOf(node)) {
    explanation.places.push_back(PlaceOf(pods, index, signal, node, seen));
  }
  explanation.limits =
      StorageLimitsOf(*found, node.policy->layout, ViolationOf(*found, *node.policy));
  return explanation;
}

PodOrder OrderNow(const NodeNow& node, Signal signal) {
  const std::vector<ActivePod> pods = ActivePods(node);
  const DiskLayout layout = node.policy->layout;
  const Candidates candidates = CandidatesNow(signal, node);
  return OrderOf(pods, signal, layout, candidates, FirstVictim(pods, signal, layout, candidates));
}

}  // namespace jettison
