#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace jettison {

// Compares what a replay answered with what the kubelet was seen to do. Recorded rankings are
// groups of equals, replayed ones are flat: a flat ranking agrees when it refines the groups.
// Absent and empty lists mean the same.

[[nodiscard]] bool StepAgrees(const nlohmann::json& recorded, const nlohmann::json& replayed);

// Whether all steps equal those of one of the recorded outcomes.
[[nodiscard]] bool Agrees(const nlohmann::json& outcomes, const nlohmann::json& steps);

// Where the replay first leaves the first recorded outcome, for a failing test.
[[nodiscard]] std::string FirstDifference(const nlohmann::json& outcomes,
                                          const nlohmann::json& steps);

}  // namespace jettison
