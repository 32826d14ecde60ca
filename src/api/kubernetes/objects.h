#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "http/message.h"
#include "view/snapshot.h"

namespace jettison {

// An instant as a metav1.Time: RFC 3339 in UTC, whole seconds.
[[nodiscard]] inline std::string KubeTime(Instant at) {
  return FormatInstant(std::chrono::floor<std::chrono::seconds>(at));
}

// The node as a v1.Node: conditions with reasons, messages and times, taints, capacity,
// allocatable. The heartbeat is the moment of the snapshot; Ready becomes true
// with the first pass. `snapshot.node` must be set.
[[nodiscard]] std::string NodeJson(const Snapshot& snapshot);

// One condition as a v1.NodeCondition, seen at `heartbeat`.
[[nodiscard]] std::string ConditionJson(const ConditionView& condition, Instant heartbeat);

// Every pod of the node as a v1.PodList: specification and status, by namespace and name.
[[nodiscard]] std::string PodListJson(const Snapshot& snapshot);

// One as a v1.Event, counted with its equals before it.
[[nodiscard]] std::string EventJson(const LoggedEvent& event, std::string_view node_name);

// Those that are remembered as a v1.EventList, oldest first.
[[nodiscard]] std::string EventListJson(const Snapshot& snapshot);

// /stats/summary as the kubelet has it (v1alpha1), with what is measured here: memory, file
// systems, process ids and pressure of the node, memory, disk use and processes of pods. What was
// not measured is absent, never zero. `snapshot.summary` must be set.
[[nodiscard]] std::string StatsSummaryJson(const Snapshot& snapshot);

// One of several things that are wrong with what was sent.
struct StatusCause {
  std::string field;  // "spec.containers[0].name"; may be empty
  std::string message;
};

// The answer to a request that cannot be served: a metav1.Status with `code`, the reason that
// Kubernetes has for it ("BadRequest", "NotFound", ...; empty where it has none) and a sentence
// that says what is wrong and what is allowed.
[[nodiscard]] HttpResponse StatusAnswer(int code, std::string_view message,
                                        const std::vector<StatusCause>& causes = {});

}  // namespace jettison
