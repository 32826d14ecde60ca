#include "core/explain/otherwise.h"

#include <array>
#include <utility>

#include "core/decide/pod_usage.h"
#include "core/decide/ranking.h"
#include "core/explain/other_usage.h"
#include "core/explain/otherwise_storage.h"
#include "core/explain/pod_ranking.h"
#include "core/model/priority.h"
#include "core/pass/pass_decision.h"
#include "core/pass/reading_plan.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

using Change = Otherwise::Change;

// Amounts of memory and disk are rounded to whole KiB; counts and shares are exact.
std::int64_t StepOf(Signal signal) {
  constexpr std::int64_t kKi = 1024;
  return UnitNameOf(signal) == "bytes" ? kKi : 1;
}

// Memory requests also count for memory that is swapped out.
bool IsMemoryRequested(Signal signal) {
  const Resource resource = ResourceOf(signal);
  return resource == Resource::kMemory || resource == Resource::kSwap;
}

// The largest request that could make a difference: the whole capacity. For swap the working set is
// added, because a pod with swapped-out pages may hold more than the swap.
std::int64_t LargestRequest(Signal signal, const ActivePod& pod, const Observation& seen) {
  if (ResourceOf(signal) != Resource::kSwap || pod.stats == nullptr) return seen.capacity;
  return seen.capacity + static_cast<std::int64_t>(pod.stats->memory_working_set_bytes.value_or(0));
}

// One pod and the first of all others. Changes of the pod can be tried without ranking all pods,
// because the first of the two is the first of all.
class Contest {
 public:
  Contest(std::span<const ActivePod> pods, std::size_t index, Signal signal, DiskLayout layout)
      : pod_(pods[index]), signal_(signal), layout_(layout) {
    std::vector<ActivePod> others(pods.begin(), pods.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
    if (const auto first = FirstVictim(others, signal, layout)) rival_ = others[*first];
  }
  [[nodiscard]] const ActivePod& pod() const { return pod_; }
  [[nodiscard]] Signal signal() const { return signal_; }
  [[nodiscard]] std::optional<std::int64_t> usage() const {
    return UsageOf(pod_, signal_, layout_);
  }
  // Whether the pod would be evicted if it were `changed`.
  [[nodiscard]] bool Goes(const ActivePod& changed) const {
    const std::array<ActivePod, 2> both = {changed, rival_.value_or(ActivePod{})};
    return FirstVictim(std::span(both).first(rival_ ? 2 : 1), signal_, layout_) == 0;
  }
  [[nodiscard]] bool GoesWithUsage(std::int64_t delta) const {
    const auto stats = WithUsage(pod_, signal_, layout_, delta);
    return Goes({pod_.facts, stats ? &*stats : pod_.stats});
  }

 private:
  ActivePod pod_;
  std::optional<ActivePod> rival_;
  Signal signal_;
  DiskLayout layout_;
};

// The thresholds whose evictions waited while the pass acted for another one.
ThresholdSet WaitingIn(const DecisionInputs& inputs) {
  const Evaluation all = EvaluateBy(inputs.policy, inputs.before, inputs.observations, inputs.now);
  return all.acting & ~ToActOn(inputs.policy, all, inputs.pace).acting;
}

// Tries changes of a pass that acted for a threshold.
class PressureChanges {
 public:
  PressureChanges(const DecisionInputs& inputs, const Decision& decision)
      : inputs_(inputs),
        decision_(decision),
        threshold_(inputs.policy.thresholds[*decision.threshold]),
        waiting_(WaitingIn(inputs)) {}

  [[nodiscard]] std::vector<Otherwise> Take() { return std::move(found_); }

  void OfVictim() {
    const Contest contest(inputs_.pods, *decision_.victim, threshold_.signal,
                          inputs_.policy.layout);
    LessUsage(contest);
    LargerRequest(contest);
    HigherPriority(contest);
  }
  void OfNode() {
    MoreAvailable();
    LowerThreshold();
    if (!threshold_.IsHard()) LongerGrace();
  }
  void WithoutReclaim() { Add({.change = Change::kNoReclaim}, decision_); }

 private:
  void LessUsage(const Contest& contest) {
    const auto usage = contest.usage();
    if (!usage) return;
    const auto less = LeastThat(StepOf(threshold_.signal), *usage,
                                [&](std::int64_t n) { return !contest.GoesWithUsage(-n); });
    if (!less) return;
    const std::int64_t by = std::min(*less, *usage);
    const auto stats = WithUsage(contest.pod(), threshold_.signal, inputs_.policy.layout, -by);
    Add({.change = Change::kUsage, .by = by, .to = *usage - by}, {contest.pod().facts, &*stats});
  }

  void LargerRequest(const Contest& contest) {
    if (UnitNameOf(threshold_.signal) != "bytes") return;
    PodFacts facts = *contest.pod().facts;
    const bool memory = IsMemoryRequested(threshold_.signal);
    Nanos& request = memory ? facts.memory_request : facts.ephemeral_storage_request;
    const auto to = LeastThat(
        StepOf(threshold_.signal),
        LargestRequest(threshold_.signal, contest.pod(), *inputs_.observations[threshold_.signal]),
        [&](std::int64_t bytes) {
          request = std::max(Nanos{bytes} * kNanosPerUnit,
                             memory ? contest.pod().facts->memory_request
                                    : contest.pod().facts->ephemeral_storage_request);
          return !contest.Goes({&facts, contest.pod().stats});
        });
    if (!to) return;
    request = Nanos{*to} * kNanosPerUnit;
    Add({.change = Change::kRequest, .to = *to}, {&facts, contest.pod().stats});
  }

  void HigherPriority(const Contest& contest) {
    PodFacts facts = *contest.pod().facts;
    const std::int64_t had = facts.priority;
    const auto raise = LeastThat(1, kSystemCriticalPriority - 1 - had, [&](std::int64_t n) {
      facts.priority = static_cast<std::int32_t>(had + n);
      return !contest.Goes({&facts, contest.pod().stats});
    });
    if (raise) {
      facts.priority = static_cast<std::int32_t>(had + *raise);
      Add({.change = Change::kPriority, .by = *raise, .to = had + *raise},
          {&facts, contest.pod().stats});
      return;
    }
    facts.priority = kSystemCriticalPriority;
    facts.protection = Protection::kCritical;
    Add({.change = Change::kCritical, .to = kSystemCriticalPriority},
        {&facts, contest.pod().stats});
  }

  // Whether a pass with these values would still act for the same threshold.
  [[nodiscard]] bool Acts(const PassPolicy& policy, const Observations& observations) const {
    return EvaluateBy(policy, inputs_.before, observations, inputs_.now)
        .acting[*decision_.threshold];
  }

  void MoreAvailable() {
    Observations seen = inputs_.observations;
    Observation& observation = *seen[threshold_.signal];
    const std::int64_t had = observation.available;
    const auto by =
        LeastThat(StepOf(threshold_.signal), observation.capacity - had, [&](std::int64_t n) {
          observation.available = had + n;
          return !Acts(inputs_.policy, seen);
        });
    if (!by) return;
    observation.available = had + *by;
    Add({.change = Change::kAvailable, .by = *by, .to = had + *by},
        DecisionFor({.policy = inputs_.policy,
                     .before = inputs_.before,
                     .observations = seen,
                     .now = inputs_.now,
                     .pods = inputs_.pods,
                     .pace = inputs_.pace}));
  }

  void LowerThreshold() {
    PassPolicy policy = inputs_.policy;
    const Observation& seen = *inputs_.observations[threshold_.signal];
    const std::int64_t had = QuantityOf(threshold_.value, seen.capacity).Value();
    ThresholdValue& value = policy.thresholds[*decision_.threshold].value;
    const auto set = [&](std::int64_t less) {
      value = Quantity::Of(std::max<std::int64_t>(had - less, 0), FormatOf(threshold_.signal));
      return !Acts(policy, inputs_.observations);
    };
    const auto less = LeastThat(StepOf(threshold_.signal), had - 1, set);
    if (!less || *less >= had) return;
    const std::int64_t to = had - *less - (had - *less) % StepOf(threshold_.signal);
    if (to <= 0 || !set(had - to)) return;
    Add({.change = Change::kThreshold, .by = had - to, .to = to}, WithPolicy(policy));
  }

  void LongerGrace() {
    const Evaluation now =
        EvaluateBy(inputs_.policy, inputs_.before, inputs_.observations, inputs_.now);
    const auto& since = now.next.first_observed_at[*decision_.threshold];
    if (!since) return;
    const Duration met_for = Elapsed(*since, inputs_.now);
    PassPolicy policy = inputs_.policy;
    policy.thresholds[*decision_.threshold].grace_period = met_for + Duration(1);
    if (Acts(policy, inputs_.observations)) return;
    Add({.change = Change::kGracePeriod, .to = met_for.count()}, WithPolicy(policy));
  }

  [[nodiscard]] Decision WithPolicy(const PassPolicy& policy) const {
    return DecisionFor({.policy = policy,
                        .before = inputs_.before,
                        .observations = inputs_.observations,
                        .now = inputs_.now,
                        .pods = inputs_.pods,
                        .pace = inputs_.pace});
  }

  // Adds the outcome if the victim were `changed`.
  void Add(Otherwise otherwise, const ActivePod& changed) {
    std::vector<ActivePod> pods(inputs_.pods.begin(), inputs_.pods.end());
    pods[*decision_.victim] = changed;
    otherwise.pod = IdentityOf(*changed.facts).FullName();
    Add(std::move(otherwise), DecisionFor({.policy = inputs_.policy,
                                           .before = inputs_.before,
                                           .observations = inputs_.observations,
                                           .now = inputs_.now,
                                           .pods = pods,
                                           .pace = inputs_.pace}));
  }

  void Add(Otherwise otherwise, const Decision& then) {
    if (then.threshold && waiting_[*then.threshold]) {
      otherwise.outcome = PassOutcome::kPaused;
      found_.push_back(std::move(otherwise));
      return;
    }
    if (then.threshold && then.threshold != decision_.threshold) {
      otherwise.signal = inputs_.policy.thresholds[*then.threshold].signal;
    }
    otherwise.outcome = OutcomeOf(then);
    if (const auto victim = FirstToGo(then)) {
      otherwise.victim = IdentityOf(*inputs_.pods[*victim].facts).FullName();
    }
    found_.push_back(std::move(otherwise));
  }

  const DecisionInputs& inputs_;
  const Decision& decision_;
  const Threshold& threshold_;
  const ThresholdSet waiting_;
  std::vector<Otherwise> found_;
};

}  // namespace

Decision DecisionFor(const DecisionInputs& inputs) {
  const Evaluation evaluation =
      EvaluateBy(inputs.policy, inputs.before, inputs.observations, inputs.now);
  return Decide(inputs.policy.thresholds, inputs.policy.local_storage_capacity_isolation,
                inputs.policy.layout, ToActOn(inputs.policy, evaluation, inputs.pace), inputs.pods);
}

std::vector<Otherwise> OtherwiseFor(const DecisionInputs& inputs, const Decision& decision,
                                    PassOutcome outcome, std::optional<std::size_t> subject) {
  if (!decision.violations.empty()) return OtherwiseForLimits(inputs, decision, subject);
  if (!decision.threshold) return {};
  if (outcome == PassOutcome::kPaused) return {};  // it only waits for the time
  PressureChanges changes(inputs, decision);
  if (outcome == PassOutcome::kRelieved || outcome == PassOutcome::kReclaimUnderWay) {
    changes.WithoutReclaim();
  } else if (decision.victim) {
    changes.OfVictim();
  }
  changes.OfNode();
  return changes.Take();
}

std::optional<std::int64_t> MoreToBeFirst(const ShiftInputs& inputs) {
  const Contest contest(inputs.pods, inputs.index, inputs.signal, inputs.layout);
  const std::int64_t room = inputs.capacity - contest.usage().value_or(inputs.capacity);
  return LeastThat(StepOf(inputs.signal), room,
                   [&](std::int64_t n) { return contest.GoesWithUsage(n); });
}

std::optional<std::int64_t> LessNotToBeFirst(const ShiftInputs& inputs) {
  const Contest contest(inputs.pods, inputs.index, inputs.signal, inputs.layout);
  const std::int64_t usage = contest.usage().value_or(0);
  const auto less = LeastThat(StepOf(inputs.signal), usage,
                              [&](std::int64_t n) { return !contest.GoesWithUsage(-n); });
  if (!less) return std::nullopt;
  return std::min(*less, usage);
}

}  // namespace jettison
