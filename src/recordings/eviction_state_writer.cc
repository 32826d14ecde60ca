#include <string_view>

#include "recordings/eviction_state.h"

namespace jettison {
namespace {

void PutInstant(std::string_view name, const std::optional<Instant>& at, JsonWriter& json) {
  if (at) json.Field(name, FormatInstant(*at));
}

void WriteThreshold(const EvictionState& state, const Threshold& threshold, std::size_t index,
                    JsonWriter& json) {
  json.Object([&] {
    json.Field("signal", NameOf(threshold.signal));
    json.Field("kind", threshold.IsHard() ? "hard" : "soft");
    json.Field("overdue", static_cast<bool>(state.met[index]));
    PutInstant("firstObserved", state.first_observed_at[index], json);
  });
}

void WriteCondition(const EvictionState& state, NodeConditionType type, JsonWriter& json) {
  json.Object([&] {
    json.Field("type", NameOf(type));
    json.Field("status", state.conditions.Has(type) ? "True" : "False");
    PutInstant("lastObserved", state.condition_last_observed_at[IndexOf(type)], json);
  });
}

void WriteObservation(Signal signal, const Observation& observation, JsonWriter& json) {
  json.Object([&] {
    json.Field("signal", NameOf(signal));
    json.Field("available", observation.available);
    json.Field("capacity", observation.capacity);
    PutInstant("time", observation.time, json);
  });
}

void WriteMark(const EvictionMark& mark, JsonWriter& json) {
  json.Object([&] {
    PutInstant("at", mark.at, json);
    json.Array("observations", [&] {
      for (const Signal signal : kPressureSignals) {
        const auto& available = mark.available[PressureIndexOf(signal)];
        if (!available) continue;
        json.Object([&] {
          json.Field("signal", NameOf(signal));
          json.Field("available", *available);
        });
      }
    });
  });
}

}  // namespace

void WriteEvictionState(const EvictionState& state, const std::vector<Threshold>& thresholds,
                        JsonWriter& json) {
  json.Object([&] {
    json.Array("thresholds", [&] {
      for (std::size_t i = 0; i < thresholds.size(); ++i) {
        WriteThreshold(state, thresholds[i], i, json);
      }
    });
    json.Array("conditions", [&] {
      for (const NodeConditionType type : kAllNodeConditions) WriteCondition(state, type, json);
    });
    json.Array("observations", [&] {
      for (const Signal signal : kAllSignals) {
        const auto& observation = state.last_observations[signal];
        if (observation) WriteObservation(signal, *observation, json);
      }
    });
    if (state.last_eviction) {
      json.Key("lastEviction");
      WriteMark(*state.last_eviction, json);
    }
  });
}

}  // namespace jettison
