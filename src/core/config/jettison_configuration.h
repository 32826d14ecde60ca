#pragma once

#include <span>
#include <string_view>

#include "core/config/agent_config.h"
#include "core/thresholds/fields.h"

namespace jettison {

// Every field of a JettisonConfiguration, in alphabetical order.
[[nodiscard]] std::span<const std::string_view> JettisonFieldNames();

// Applies a JettisonConfiguration (jettison.io/v1alpha1) to `config`. An unknown field is a fault,
// because only Jettison reads such a document. Thresholds on pressure and swap are appended to the
// thresholds of `config`.
void ApplyJettisonConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings);

}  // namespace jettison
