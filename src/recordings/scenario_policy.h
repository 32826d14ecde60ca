#pragma once

#include "model/value.h"
#include "pass/pass.h"
#include "units/result.h"

namespace jettison {

// The policy of a scenario: the eviction fields of its kubeletConfig as they stand, without the
// defaults of a running agent, and its disk layout. A null `kubelet_config` sets nothing; so does a
// null `disk`. Fails with every fault in one message.
[[nodiscard]] Result<PassPolicy> ScenarioPolicy(const Value& kubelet_config, const Value& disk);

}  // namespace jettison
