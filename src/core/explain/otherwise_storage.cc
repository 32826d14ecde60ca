#include "core/explain/otherwise_storage.h"

#include "core/explain/other_usage.h"
#include "core/explain/pod_ranking.h"
#include "core/explain/storage_limits.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr std::int64_t kKi = 1024;

Nanos& LimitIn(PodFacts& facts, const StorageViolation& violation) {
  switch (violation.kind) {
    case StorageLimitKind::kEmptyDir: return facts.empty_dir_limits[violation.index].limit;
    case StorageLimitKind::kPod: return *facts.ephemeral_storage_limit;
    case StorageLimitKind::kContainer: return facts.container_limits[violation.index].limit;
  }
  __builtin_unreachable();
}

bool Breaks(const ActivePod& pod, DiskLayout layout, const StorageViolation& violation) {
  const auto now = StorageViolations(std::span(&pod, 1), layout);
  return !now.empty() && now.front().kind == violation.kind && now.front().index == violation.index;
}

void Add(const DecisionInputs& inputs, std::size_t index, const ActivePod& changed,
         Otherwise otherwise, std::vector<Otherwise>& found) {
  std::vector<ActivePod> pods(inputs.pods.begin(), inputs.pods.end());
  pods[index] = changed;
  const Decision then = DecisionFor({.policy = inputs.policy,
                                     .before = inputs.before,
                                     .observations = inputs.observations,
                                     .now = inputs.now,
                                     .pods = pods,
                                     .pace = inputs.pace});
  otherwise.pod = IdentityOf(*changed.facts).FullName();
  otherwise.outcome = OutcomeOf(then);
  if (then.threshold) otherwise.signal = inputs.policy.thresholds[*then.threshold].signal;
  if (const auto victim = FirstToGo(then)) {
    otherwise.victim = IdentityOf(*pods[*victim].facts).FullName();
  }
  found.push_back(std::move(otherwise));
}

void AddFor(const DecisionInputs& inputs, const StorageViolation& violation,
            std::vector<Otherwise>& found) {
  const DiskLayout layout = inputs.policy.layout;
  const ActivePod& pod = inputs.pods[violation.pod];
  const StorageLimitFacts limit = LimitOf(pod, violation, layout);
  PodStats stats;
  const auto less = LeastThat(kKi, limit.used.value_or(0), [&](std::int64_t n) {
    stats = WithLessStorage(*pod.stats, limit, n);
    return !Breaks({pod.facts, &stats}, layout, violation);
  });
  if (less) {
    stats = WithLessStorage(*pod.stats, limit, *less);
    Add(inputs, violation.pod, {pod.facts, &stats},
        {.change = Otherwise::Change::kUsage, .by = *less, .to = *limit.used - *less}, found);
  }
  PodFacts facts = *pod.facts;
  const auto limit_to = LeastThat(kKi, limit.used.value_or(0), [&](std::int64_t bytes) {
    LimitIn(facts, violation) = Nanos{bytes} * kNanosPerUnit;
    return !Breaks({&facts, pod.stats}, layout, violation);
  });
  if (!limit_to) return;
  LimitIn(facts, violation) = Nanos{*limit_to} * kNanosPerUnit;
  Add(inputs, violation.pod, {&facts, pod.stats},
      {.change = Otherwise::Change::kLimit, .to = *limit_to}, found);
}

}  // namespace

std::vector<Otherwise> OtherwiseForLimits(const DecisionInputs& inputs, const Decision& decision,
                                          std::optional<std::size_t> subject) {
  std::vector<Otherwise> found;
  for (const StorageViolation& violation : decision.violations) {
    if (!subject || violation.pod == *subject) AddFor(inputs, violation, found);
  }
  return found;
}

PassOutcome OutcomeOf(const Decision& decision) {
  if (!decision.violations.empty()) return PassOutcome::kStorageLimits;
  if (!decision.threshold) return PassOutcome::kNothing;
  return decision.victim ? PassOutcome::kEvicted : PassOutcome::kNobodyMayGo;
}

std::optional<std::size_t> FirstToGo(const Decision& decision) {
  if (!decision.violations.empty()) return decision.violations.front().pod;
  return decision.victim;
}

}  // namespace jettison
