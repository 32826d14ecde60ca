#include "core/evaluate/evaluate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/units/quantity.h"

namespace jettison {
namespace {

Nanos AmountOf(const ThresholdValue& value, std::int64_t capacity) {
  return QuantityOf(value, capacity).ToNanos();
}

bool IsMet(const Threshold& threshold, const Observation& seen, bool enforce_min_reclaim) {
  // The kubelet guards the node where ours could only evict without end.
  if (threshold.kubelet && IsAlwaysMet(threshold, seen.capacity)) return false;
  const Nanos above = seen.available * kNanosPerUnit - AmountOf(threshold.value, seen.capacity);
  if (!enforce_min_reclaim || !threshold.min_reclaim) return above < 0;
  return above < AmountOf(*threshold.min_reclaim, seen.capacity);
}

// Whether a pressure threshold is met by the stalls since the last eviction alone. The kernel's
// average decays by the factor e in each window, so the part that is left of its value at the
// eviction is known. The rest is the mean of the stalls since then.
bool IsMetSince(const EvictionMark& eviction, const Threshold& threshold, const Observation& seen,
                Instant now) {
  // The kernel updates its averages only every two seconds (PSI_FREQ in kernel/sched/psi.c). So the
  // present average may lack two seconds of decay, and the average at the eviction lacked up to two
  // seconds of stalls, at worst for all of that time.
  constexpr Duration kUpdatePeriod = std::chrono::seconds(2);
  const Duration window = RowOf(threshold.signal).stall->window;
  const Duration elapsed = Elapsed(eviction.at, now);
  if (elapsed < window) return false;
  const std::size_t index = PressureIndexOf(threshold.signal);
  const auto& before = eviction.available[index];
  if (!before) return true;
  const auto left_after = [window](Duration span) {
    return std::exp(-(std::chrono::duration<double>(span) / window));
  };
  const double left = left_after(elapsed - kUpdatePeriod);
  const double left_of_period = left_after(kUpdatePeriod);
  const auto lost = static_cast<double>(kWholeTime - seen.available);
  const double lost_before = static_cast<double>(kWholeTime - *before) * left_of_period +
                             kWholeTime * (1 - left_of_period);
  const auto line = static_cast<double>(LostOf(QuantityOf(threshold.value, seen.capacity)));
  return lost - lost_before * left > line * (1 - left);
}

// Whether the signal was observed again since the last pass, and a pressure threshold is no echo of
// what was before the last eviction.
bool HasNewFigures(const Threshold& threshold, const Observations& observations,
                   const EvictionState& state, Instant now) {
  const auto& seen = observations[threshold.signal];
  const auto& last = state.last_observations[threshold.signal];
  const bool is_new = seen && (!last || !seen->time || !last->time || *seen->time > *last->time);
  const bool may_echo = state.last_eviction && IsPressure(threshold.signal);
  return is_new && (!may_echo || IsMetSince(*state.last_eviction, threshold, *seen, now));
}

void Track(bool holds, Instant now, std::optional<Instant>& since) {
  if (!holds) {
    since.reset();
  } else if (!since) {
    since = now;
  }
}

void TrackKubeletLines(std::span<const Threshold> thresholds, const Observations& observations,
                       Instant now, Evaluation& result) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto& line = thresholds[i].kubelet;
    auto& since = result.next.kubelet_line_crossed_at[i];
    const auto& seen = observations[thresholds[i].signal];
    const bool below =
        line && seen && seen->available * kNanosPerUnit < AmountOf(line->value, seen->capacity);
    Track(below, now, since);
    const bool is_due = since && Elapsed(*since, now) >= line->grace_period;
    // The kubelet spares pods that keep to their request, where they can request anything.
    result.in_margin[i] = line && !is_due && RowOf(ResourceOf(thresholds[i].signal)).requested;
  }
}

// The met thresholds that bring a condition before anybody is evicted for them: beside a kubelet
// those for which the kubelet has its own by then.
ThresholdSet WithCondition(std::span<const Threshold> thresholds, const Evaluation& result) {
  return ThoseOf(result.met, thresholds, [&](const Threshold&, std::size_t i) {
    return !result.in_margin[i] || result.next.kubelet_line_crossed_at[i];
  });
}

// A condition that has ended stays so until it is observed again: a transition period that has
// become longer meanwhile does not bring it back. (The kubelet's cannot change while it runs.)
void TrackConditions(std::span<const Threshold> thresholds, ThresholdSet met, Duration transition,
                     Instant now, EvictionState& next) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (met[i]) ObserveCondition(ConditionOf(thresholds[i].signal), transition, now, next);
  }
  const NodeConditions could_hold = std::exchange(next.conditions, {});
  for (NodeConditionType type : kAllNodeConditions) {
    const auto& last = next.condition_last_observed_at[IndexOf(type)];
    const bool lasts = last && Elapsed(*last, now) < transition;
    if (lasts && could_hold.Has(type)) next.conditions.Set(type);
  }
}

}  // namespace

ThresholdSet ThresholdsMet(std::span<const Threshold> thresholds, const Observations& observations,
                           bool enforce_min_reclaim) {
  return ThoseOf(thresholds, [&](const Threshold& threshold, std::size_t) {
    const auto& seen = observations[threshold.signal];
    return seen && IsMet(threshold, *seen, enforce_min_reclaim);
  });
}

ThresholdSet HardFirst(std::span<const Threshold> thresholds, ThresholdSet among) {
  const ThresholdSet hard = ThoseOf(among, thresholds, [](const Threshold& threshold, std::size_t) {
    return threshold.IsHard();
  });
  return hard.any() ? hard : among;
}

Evaluation Evaluate(const PassPolicy& policy, const EvictionState& state,
                    const Observations& observations, Instant now) {
  const std::span<const Threshold> thresholds = policy.thresholds;
  assert(thresholds.size() <= kMaxThresholds);
  Evaluation result{.met = {}, .overdue = {}, .acting = {}, .in_margin = {}, .next = state};
  const ThresholdSet unresolved = ThresholdsMet(thresholds, observations, true) & state.met;
  result.met = ThresholdsMet(thresholds, observations, false) | unresolved;
  for (std::size_t i = 0; i < kMaxThresholds; ++i) {
    Track(result.met[i], now, result.next.first_observed_at[i]);
  }
  TrackKubeletLines(thresholds, observations, now, result);
  TrackConditions(thresholds, WithCondition(thresholds, result), policy.pressure_transition_period,
                  now, result.next);
  result.overdue = ThoseOf(thresholds, [&](const Threshold& threshold, std::size_t i) {
    const auto& since = result.next.first_observed_at[i];
    return since && Elapsed(*since, now) >= threshold.grace_period;
  });
  result.acting = ThoseOf(result.overdue, thresholds, [&](const Threshold& threshold, std::size_t) {
    return HasNewFigures(threshold, observations, state, now);
  });
  if (policy.hard_first) result.acting = HardFirst(thresholds, result.acting);
  result.next.met = result.overdue;
  result.next.last_observations = observations;
  return result;
}

void ObserveCondition(NodeConditionType type, Duration pressure_transition_period, Instant now,
                      EvictionState& state) {
  state.condition_last_observed_at[IndexOf(type)] = now;
  if (pressure_transition_period > Duration{0}) state.conditions.Set(type);
}

void MarkEviction(const Observations& observations, Instant now, EvictionState& state) {
  EvictionMark& mark = state.last_eviction.emplace();
  mark.at = now;
  for (Signal signal : kPressureSignals) {
    const auto& seen = observations[signal];
    if (seen) mark.available[PressureIndexOf(signal)] = static_cast<std::int32_t>(seen->available);
  }
}

bool PressureRelieved(std::span<const Threshold> thresholds, const Observations& observations) {
  return ThoseOf(
             ThresholdsMet(thresholds, observations, true), thresholds,
             [](const Threshold& threshold, std::size_t) { return !IsPressure(threshold.signal); })
      .none();
}

std::optional<Instant> NextGraceEnd(std::span<const Threshold> thresholds,
                                    const Evaluation& evaluation) {
  std::optional<Instant> next;
  const auto wait_for = [&next](std::optional<Instant> since, Duration grace) {
    if (since) next = Earliest({next, Later(*since, grace)});
  };
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!evaluation.met[i]) continue;
    if (!evaluation.overdue[i]) {
      wait_for(evaluation.next.first_observed_at[i], thresholds[i].grace_period);
    } else if (evaluation.in_margin[i]) {
      wait_for(evaluation.next.kubelet_line_crossed_at[i], thresholds[i].kubelet->grace_period);
    }
  }
  return next;
}

bool IsSameLine(const Threshold& a, const Threshold& b) {
  return a.signal == b.signal && a.IsHard() == b.IsHard() && a.value == b.value;
}

EvictionState CarryOver(const EvictionState& state, std::span<const Threshold> from,
                        std::span<const Threshold> to) {
  EvictionState carried = state;
  carried.met.reset();
  carried.first_observed_at.fill(std::nullopt);
  carried.kubelet_line_crossed_at.fill(std::nullopt);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto before = std::ranges::find_if(
        from, [&](const Threshold& threshold) { return IsSameLine(threshold, to[i]); });
    if (before == from.end()) continue;
    const auto place = static_cast<std::size_t>(before - from.begin());
    carried.met[i] = state.met[place];
    carried.first_observed_at[i] = state.first_observed_at[place];
    if (from[place].kubelet != to[i].kubelet) continue;
    carried.kubelet_line_crossed_at[i] = state.kubelet_line_crossed_at[place];
  }
  return carried;
}

}  // namespace jettison
