#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/pass/pass.h"
#include "core/units/result.h"

namespace jettison {

// One setting and the values that it is to be tried with: 'evictionHard.memory.available=
// 50Mi..1Gi/16', or 'evictionSoftGracePeriod.memory.available=30s,1m,5m'.
struct Sweep {
  std::string key;  // as it was written
  std::vector<std::string> values;
};

// Every key that a sweep may have: "evictionHard.memory.available", ...
[[nodiscard]] std::vector<std::string> SweepKeys();

// The most policies that sweeps may come to together.
inline constexpr std::size_t kMostPolicies = 4096;

// Parses KEY=FROM..TO/COUNT (COUNT values evenly spaced, both ends included) or KEY=VALUE,VALUE.
// Amounts, percentages and durations; fails with a sentence that says what is allowed.
[[nodiscard]] Result<Sweep> ParseSweep(std::string_view text);

// The policy with the setting of that value: evictionHard.SIGNAL, evictionSoft.SIGNAL,
// evictionSoftGracePeriod.SIGNAL, evictionMinimumReclaim.SIGNAL, evictionPressureTransitionPeriod
// and evictionMaxPodGracePeriod.
[[nodiscard]] Result<PassPolicy> WithSetting(PassPolicy policy, const std::string& key,
                                             const std::string& value);

}  // namespace jettison
