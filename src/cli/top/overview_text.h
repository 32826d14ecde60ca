#pragma once

#include <string>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"
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

}  // namespace jettison
