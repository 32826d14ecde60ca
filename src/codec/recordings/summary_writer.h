#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/json/json_writer.h"
#include "core/model/summary.h"
#include "core/units/duration.h"

namespace jettison {

// When a pod and its containers, in the order of their figures, began; absent where that is not
// known.
struct PodStartTimes {
  std::optional<Instant> pod;
  std::vector<std::optional<Instant>> containers;
};

// What clients of a live node want to know beside the figures.
struct SummaryTimes {
  std::string_view node_name;  // where the figures do not name it
  std::optional<Instant> node_started;
  std::optional<Instant> pods_measured;  // when figures of pods were read
  std::vector<PodStartTimes> pods;       // as Summary::pods; empty: nothing is known
};

// Writes the kubelet's stats summary (/stats/summary, v1alpha1). What was not measured is left out,
// never zero. ReadSummary reads it to the same figures.
void WriteSummary(const Summary& summary, const SummaryTimes& times, JsonWriter& json);

}  // namespace jettison
