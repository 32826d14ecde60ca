#include <fmt/format.h>

#include <optional>

#include "codec/recordings/checked_members.h"
#include "codec/recordings/eviction_state.h"
#include "codec/recordings/eviction_state_fields.h"
#include "core/thresholds/fields.h"

namespace jettison {
namespace {

// The first threshold of that kind that no item before has named.
std::optional<std::size_t> Take(const StateThreshold& item,
                                const std::vector<Threshold>& thresholds, ThresholdSet& taken) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const bool is_of_kind =
        thresholds[i].signal == item.signal && thresholds[i].IsHard() == item.hard;
    if (taken[i] || !is_of_kind) continue;
    taken.set(i);
    return i;
  }
  return std::nullopt;
}

EvictionMark MarkOf(const StateMark& form) {
  EvictionMark mark{.at = form.at, .available = {}};
  for (const StateMarkObservation& seen : form.observations) {
    if (!seen.available) continue;
    mark.available[PressureIndexOf(seen.signal)] = static_cast<std::int32_t>(*seen.available);
  }
  return mark;
}

EvictionState StateOf(const StateForm& form, const std::vector<Threshold>& thresholds) {
  EvictionState state;
  ThresholdSet taken;
  for (const StateThreshold& item : form.thresholds) {
    const auto index = Take(item, thresholds, taken);
    if (!index) continue;
    state.met[*index] = item.overdue;
    state.first_observed_at[*index] = item.first_observed;
    state.kubelet_line_crossed_at[*index] = item.kubelet_line_crossed;
  }
  for (const StateCondition& condition : form.conditions) {
    if (condition.status) state.conditions.Set(condition.type);
    state.condition_last_observed_at[IndexOf(condition.type)] = condition.last_observed;
  }
  for (const StateObservation& seen : form.observations) {
    state.last_observations[seen.signal] =
        Observation{.available = seen.available, .capacity = seen.capacity, .time = seen.time};
  }
  if (form.last_eviction) state.last_eviction = MarkOf(*form.last_eviction);
  return state;
}

void CheckMark(const StateMark& mark, const Fields& state) {
  for (std::size_t i = 0; i < mark.observations.size(); ++i) {
    if (IsPressure(mark.observations[i].signal)) continue;
    state.Refuse(fmt::format("lastEviction.observations[{}].signal", i), "",
                 "must be a signal of pressure");
  }
}

}  // namespace

Result<EvictionState> ReadEvictionState(const Value& state,
                                        const std::vector<Threshold>& thresholds) {
  if (state.IsNull()) return EvictionState{};
  if (state.AsMap() == nullptr) return Fail(ErrorCode::kInvalidArgument, "must be a map");
  Faults faults;
  const Fields map(state, "", faults, "");
  StateForm form;
  CheckedMembers members(map);
  VisitFields(members, form);
  if (form.last_eviction) CheckMark(*form.last_eviction, map);
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(faults));
  return StateOf(form, thresholds);
}

}  // namespace jettison
