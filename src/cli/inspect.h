#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/kubernetes/pod_reader.h"
#include "core/config/agent_config.h"
#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/model/profile.h"
#include "core/units/quantity.h"

namespace jettison {

// What the agent would make of one pod before it has measured anything.
struct PodReport {
  std::string namespace_;
  std::string name;
  std::string uid;
  QosClass qos_class = QosClass::kBestEffort;
  std::int32_t priority = 0;  // a pod without one ranks as 0
  bool critical = false;
  bool is_static = false;
  bool mirror = false;
  Quantity memory_request;
  Quantity ephemeral_storage_request;
  std::vector<std::pair<std::string, int>> oom_score_adj;  // init containers first
  bool tolerates_memory_pressure = false;
};

// The node that a pod is judged for.
struct InspectedNode {
  std::uint64_t memory_capacity_bytes = 0;
  Profile profile = Profile::kKubelet;
  RuntimeKind runtime = RuntimeKind::kProcess;  // of manifests: what would run them
};

[[nodiscard]] PodReport ReportOf(const Pod& pod, const InspectedNode& node);

// The pods of an input, and what is wrong with those that could not be understood.
struct InspectReport {
  std::vector<PodReport> pods;
  Faults faults;
  std::vector<std::string> warnings;  // with the name of the input
  bool is_empty = false;              // the input has no document, not even an empty list
};

// Reads the pods of a text: a List or PodList, one Pod, a JSON array, NDJSON, or YAML documents.
// `name` stands in faults. As API objects, pods are taken as an API server would answer them:
// nothing is defaulted, each has a name, and no amount is negative. As manifests they are read as
// an agent that runs them would, and what its runtime would refuse is a fault.
// A faulty pod spoils no other one; of lines of JSON, neither does a faulty line.
[[nodiscard]] InspectReport InspectPods(std::string_view text, const std::string& name,
                                        const InspectedNode& node,
                                        PodForm form = PodForm::kApiObject);

// A JSON list, a pod a line, with the fields of `jettison inspect --output json`.
[[nodiscard]] std::string AsJson(const std::vector<PodReport>& pods);

// A table for people; a heading and a line a pod.
[[nodiscard]] std::string AsTable(const std::vector<PodReport>& pods);

}  // namespace jettison
