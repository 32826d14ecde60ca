#pragma once

#include <span>
#include <string_view>

#include "core/config/agent_config.h"
#include "core/config/node_allocatable.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

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

}  // namespace jettison
