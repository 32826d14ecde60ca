#pragma once

#include "core/config/agent_config.h"
#include "core/thresholds/fields.h"

namespace jettison {

// Takes what a JettisonConfiguration (jettison.io/v1alpha1) says over into `config`. A field that
// it does not know is a fault here: nobody else's file could have brought it in. Thresholds on
// pressure and swap are put behind those that `config` has already.
void ApplyJettisonConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings);

}  // namespace jettison
