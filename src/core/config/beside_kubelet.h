#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/config_layers/config_document.h"
#include "core/model/fault.h"
#include "core/model/threshold.h"

namespace jettison {

// The configuration of the kubelet that Jettison stands beside (`source: kubernetes`).
struct KubeletSide {
  // A KubeletConfiguration, as its file or configz has it; absent: not known.
  std::optional<ConfigDocument> document;
  // Not empty: it was asked for and could not be read, and this is why.
  std::string why_not;
};

// A KubeletConfiguration made of the kubelet's and ours.
struct MergedKubelet {
  Value document;
  std::vector<Threshold> theirs;  // what the kubelet evicts by, with its allocatable copy
};

// Puts ours over the kubelet's, member by member: what ours does not say, the kubelet's says, but
// for what concerns the kubelet's own process and its static pods. Thresholds that ours does not
// name are the kubelet's with a margin (thresholds/kubelet_margin.h); with
// mergeDefaultEvictionSettings in ours that holds for single signals, too. `ours` null: there is no
// such document. Faults have the kubelet's file.
[[nodiscard]] MergedKubelet MergeWithKubelet(const ConfigDocument* ours,
                                             const ConfigDocument& theirs, Faults& faults);

// Faults and warnings of a merged document get the file that their member comes from. Warnings of
// what the kubelet's says are left out: it concerns the kubelet.
void SortByFile(const ConfigDocument* ours, const ConfigDocument& theirs, Faults& faults,
                Faults& warnings);

// Switches off what the kubelet does and Jettison beside it must not: collecting images and dead
// containers, rotating logs, limits on groups, running static pods.
void LeaveToKubelet(AgentConfig& config);

}  // namespace jettison
