#include "codec/recordings/eviction_state.h"
#include "codec/recordings/eviction_state_fields.h"
#include "core/json/field_writer.h"

namespace jettison {
namespace {

StateMark FormOfMark(const EvictionMark& mark) {
  StateMark form{.at = mark.at, .observations = {}};
  for (const Signal signal : kPressureSignals) {
    const auto& available = mark.available[PressureIndexOf(signal)];
    if (available) form.observations.push_back({.signal = signal, .available = *available});
  }
  return form;
}

StateForm FormOfState(const EvictionState& state, const std::vector<Threshold>& thresholds) {
  StateForm form;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    form.thresholds.push_back({.signal = thresholds[i].signal,
                               .hard = thresholds[i].IsHard(),
                               .overdue = static_cast<bool>(state.met[i]),
                               .first_observed = state.first_observed_at[i],
                               .kubelet_line_crossed = state.kubelet_line_crossed_at[i]});
  }
  for (const NodeConditionType type : kAllNodeConditions) {
    form.conditions.push_back({.type = type,
                               .status = state.conditions.Has(type),
                               .last_observed = state.condition_last_observed_at[IndexOf(type)]});
  }
  for (const Signal signal : kAllSignals) {
    const auto& seen = state.last_observations[signal];
    if (!seen) continue;
    form.observations.push_back({.signal = signal,
                                 .available = seen->available,
                                 .capacity = seen->capacity,
                                 .time = seen->time});
  }
  if (state.last_eviction) form.last_eviction = FormOfMark(*state.last_eviction);
  return form;
}

}  // namespace

void WriteEvictionState(const EvictionState& state, const std::vector<Threshold>& thresholds,
                        JsonWriter& json) {
  WriteForm(FormOfState(state, thresholds), json);
}

}  // namespace jettison
