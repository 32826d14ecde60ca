#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/agent_config.h"
#include "core/config/config_document.h"
#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

// Every field of a JettisonConfiguration, in alphabetical order.
[[nodiscard]] std::span<const std::string_view> JettisonFieldNames();

// Applies a JettisonConfiguration (jettison.io/v1alpha1) to `config`. An unknown field is a fault,
// because only Jettison reads such a document. Thresholds on pressure and swap are appended to the
// thresholds of `config`.
void ApplyJettisonConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings);

// Every field of KubeletConfiguration v1beta1 (1.36), in alphabetical order.
[[nodiscard]] std::span<const std::string_view> KubeletFieldNames();

// Warns of fields of a KubeletConfiguration that have no effect although their author may expect
// one: misspelt fields, and known fields that Jettison does not use and that differ from the
// kubelet's default. There is no warning of fields that concern only the kubelet itself (its
// server, its certificates, its traffic with an API server).
void WarnOfUnusedFields(const Fields& fields, Faults& warnings);

// The threshold settings of a KubeletConfiguration as unparsed text: evictionHard, which has the
// kubelet's defaults if it is absent, or is merged with them, and evictionSoft with its grace
// periods. Minimum reclaims are read elsewhere.
[[nodiscard]] EvictionSettings ReadEvictionSettings(const Fields& fields);

// Applies a KubeletConfiguration (v1beta1) to `config`, with the kubelet's defaults for absent
// fields. Only staticPodPath is read elsewhere, in ReadConfig, which knows the file of the field.
// Faults are noted by `fields`.
void ApplyKubeletConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings,
                               Faults& faults);

// Applies the kubelet's defaults, for a configuration without a KubeletConfiguration.
void ApplyKubeletDefaults(AgentConfig& config);

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
