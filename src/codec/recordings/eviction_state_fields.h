#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/json/field_writer.h"
#include "core/model/pressure.h"
#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// The state of a record as it is written (eviction_state.h has the form): values, and one list of
// the fields of each, for the writer and the reader.

struct StateThreshold {
  Signal signal = Signal::kMemoryAvailable;
  std::optional<bool> hard;  // absent: it cannot be known for which threshold this is
  bool overdue = false;
  std::optional<Instant> first_observed;
  std::optional<Instant> kubelet_line_crossed;
};

struct StateCondition {
  NodeConditionType type = NodeConditionType::kMemoryPressure;
  bool status = false;
  std::optional<Instant> last_observed;
};

struct StateObservation {
  Signal signal = Signal::kMemoryAvailable;
  std::int64_t available = 0;
  std::int64_t capacity = 0;
  std::optional<Instant> time;
};

struct StateMarkObservation {
  Signal signal = Signal::kMemoryAvailable;  // of pressure
  std::optional<std::int64_t> available;
};

struct StateMark {
  Instant at;
  std::vector<StateMarkObservation> observations;
};

struct StateForm {
  std::vector<StateThreshold> thresholds;
  std::vector<StateCondition> conditions;
  std::vector<StateObservation> observations;
  std::optional<StateMark> last_eviction;
};

template <typename Archive, FormOf<StateThreshold> T>
void VisitFields(Archive& fields, T& threshold) {
  fields("signal", threshold.signal);
  fields.OneOf("kind", threshold.hard, "hard", "soft");
  fields("overdue", threshold.overdue);
  fields("firstObserved", threshold.first_observed);
  fields("kubeletLineCrossed", threshold.kubelet_line_crossed);
}

template <typename Archive, FormOf<StateCondition> T>
void VisitFields(Archive& fields, T& condition) {
  fields("type", condition.type);
  fields.OneOf("status", condition.status, "True", "False");
  fields("lastObserved", condition.last_observed);
}

template <typename Archive, FormOf<StateObservation> T>
void VisitFields(Archive& fields, T& observation) {
  fields("signal", observation.signal);
  fields("available", observation.available);
  fields("capacity", observation.capacity);
  fields("time", observation.time);
}

template <typename Archive, FormOf<StateMarkObservation> T>
void VisitFields(Archive& fields, T& observation) {
  fields("signal", observation.signal);
  fields.Within("available", observation.available, std::int64_t{0}, std::int64_t{kWholeTime});
}

template <typename Archive, FormOf<StateMark> T>
void VisitFields(Archive& fields, T& mark) {
  fields("at", mark.at);
  fields("observations", mark.observations);
}

template <typename Archive, FormOf<StateForm> T>
void VisitFields(Archive& fields, T& state) {
  fields("thresholds", state.thresholds);
  fields("conditions", state.conditions);
  fields("observations", state.observations);
  fields("lastEviction", state.last_eviction);
}

}  // namespace jettison
