#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/decide/garbage_collection.h"
#include "core/evaluate/evaluate.h"
#include "core/model/choices.h"
#include "core/model/summary.h"
#include "core/pass/pass.h"
#include "core/pods/admission.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"

namespace jettison {

// One pass of a scenario. Pods are named by their index in the scenario's list.
struct ScenarioStep {
  Duration at{0};  // since the scenario's start
  Summary summary;
  std::optional<Summary> summary_after_reclaim;  // absent: a reclaim changes nothing
  std::vector<std::size_t> active;               // the running pods, in this order
  std::vector<std::size_t> admit;                // pods that ask for admission after the pass
  std::vector<std::size_t> kill_errors;          // pods whose kill reports an error
  bool reclaim_under_way = false;                // a reclaim is not over within the pass
  std::optional<PaceInput> pace;                 // of an agent's pass; absent: nothing ever waits
};

// A node over time: everything a replay needs, as values.
struct Scenario {
  std::string name;
  Instant start;
  PassPolicy policy;
  Profile profile = Profile::kKubelet;
  EvictionState state;  // that the first pass begins with
  std::vector<PodFacts> pods;
  std::vector<ScenarioStep> steps;
};

// The result of one step: the report of its pass, and the answers to the pods that asked for
// admission, in the order of ScenarioStep::admit.
struct StepOutcome {
  CycleReport report;
  std::vector<AdmissionAnswer> admission;
};

// One image collection to be replayed: what the collector knows, and which removals the runtime
// would refuse.
struct ImageCollection {
  std::string name;
  ImageGcMode mode = ImageGcMode::kGarbageCollect;
  ImageGcPolicy policy;
  ImageGcTimes times;
  ImageFsUsage image_fs;
  std::vector<ImageRecord> images;
  std::set<std::string, std::less<>> refused;  // ids whose removal fails
};

}  // namespace jettison
