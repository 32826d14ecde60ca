#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"
#include "core/model/signal.h"
#include "core/units/duration.h"

// What `status` and `top` say in the same words.
namespace jettison {

// "default/web"; only "web" where all pods are of one namespace.
[[nodiscard]] std::string PodNameText(const OverviewPod& pod, bool with_namespace);
[[nodiscard]] bool SeveralNamespaces(const std::vector<OverviewPod>& pods);

// What a pod is at: "running", "evicted", "back in 4 s at the earliest, after back-off", "waiting:
// refused, MemoryPressure".
[[nodiscard]] std::string PodStateText(const OverviewPod& pod, Instant now);
// The reason of an event; "Refused" where that is an eviction's although the pod was not let in.
[[nodiscard]] std::string EventReasonText(const OverviewEvent& event);
[[nodiscard]] Ink PodStateInk(const OverviewPod& pod);

// Where a threshold stands: "met for 12 s, acts in 78 s", "met for 3 s", "in 27 s", "far".
[[nodiscard]] std::string ThresholdStateText(const OverviewThreshold& threshold, Instant now);

// The types of the conditions that are true, "MemoryPressure, DiskPressure"; empty: none is.
[[nodiscard]] std::string PressureText(const Overview& overview);

// The time of day in UTC: "12:03:44".
[[nodiscard]] std::string ClockText(Instant at);

// What both begin with: the node with its pressure, the agent, what makes evictions slower than the
// pressure would have it, and what the agent does without.
[[nodiscard]] std::vector<TextLine> HeadLines(const Overview& overview);

// A header and a line for each threshold of each signal. With a bar for each signal where `bars`;
// of more signals than `most` those that have used up the most of what lies before their threshold.
struct SignalTable {
  bool bars = false;
  std::size_t most = kSignalCount;
};
[[nodiscard]] std::vector<TextLine> SignalLines(const Overview& overview, SignalTable table,
                                                std::size_t columns, TextStyle style);

// A page that shows how the node stands: conditions, signals against their thresholds, pods that
// are on their way, who would go first, the last evictions. `columns`: lines are no longer, where
// text can be shortened.
[[nodiscard]] std::string StatusText(const Overview& overview, std::size_t columns,
                                     TextStyle style);

}  // namespace jettison
