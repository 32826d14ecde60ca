#pragma once

#include "core/config/agent_config.h"
#include "core/thresholds/fields.h"

namespace jettison {

// Applies a JettisonConfiguration (jettison.io/v1alpha1) to `config`. An unknown field is a fault,
// because only Jettison reads such a document. Thresholds on pressure and swap are appended to the
// thresholds of `config`.
void ApplyJettisonConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings);

}  // namespace jettison
