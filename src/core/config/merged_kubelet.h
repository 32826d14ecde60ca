#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/config/config_document.h"
#include "core/model/fault.h"
#include "core/model/threshold.h"

namespace jettison {

// The configuration of the kubelet that Jettison stands beside (`source: kubernetes`).
struct KubeletSide {
  // A KubeletConfiguration, as its file or configz has it; absent: not known.
  std::optional<ConfigDocument> document;
  // Why the document, which was requested, could not be read; empty: no error.
  std::string why_not;
};

// A KubeletConfiguration made of the kubelet's and ours.
struct MergedKubelet {
  Value document;
  std::vector<Threshold> theirs;  // what the kubelet evicts by, with its allocatable copy
  // The kubelet has no hard threshold on memory.available, and neither has our document: ours is
  // derived from the kubelet's default.
  bool own_memory_threshold = false;
};

// Merges our document over the kubelet's, member by member: a member that ours does not set has the
// kubelet's value, except members about the kubelet's own process and its static pods. Thresholds
// that ours does not set are the kubelet's plus a margin (thresholds/kubelet_order.h); with
// mergeDefaultEvictionSettings in ours, this applies to each single signal. Where the kubelet has
// no hard threshold on memory, its default stands in for one unless `default_memory` is false.
// `ours` null: there is no such document. Faults name the kubelet's file.
[[nodiscard]] MergedKubelet MergeWithKubelet(const ConfigDocument* ours,
                                             const ConfigDocument& theirs, bool default_memory,
                                             Faults& faults);

// Sets the file of each fault and warning of a merged document to the file that its member comes
// from. Warnings about members from the kubelet's document are dropped: they concern the kubelet.
void SortByFile(const ConfigDocument* ours, const ConfigDocument& theirs, Faults& faults,
                Faults& warnings);

// Switches off everything that the kubelet does and that Jettison must therefore not do: collecting
// dead containers and, unless `kubernetes.collectImages` is set, images; rotating logs, limiting
// groups, running static pods.
void LeaveToKubelet(AgentConfig& config);

}  // namespace jettison
