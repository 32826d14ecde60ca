#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/model/signal.h"

namespace jettison::kube {

// The conditions that others are told of. The one for stalls on I/O is none of them: pods that go
// for it are few and large, and new ones do no harm to it by being there.
inline constexpr std::array kToldConditions = {NodeConditionType::kMemoryPressure,
                                               NodeConditionType::kDiskPressure,
                                               NodeConditionType::kPidPressure};

// What others see of a condition on the node's API object. All of it is the agent's own: the
// kubelet writes its conditions again every ten seconds, with what it makes of the node itself.
struct PressureWords {
  std::string_view type;   // "JettisonMemoryPressure"
  std::string_view taint;  // "jettison.io/memory-pressure"
  std::string_view reason;
  std::string_view message;
  std::string_view none_reason;
  std::string_view none_message;
};
// Absent: nobody is told of it.
[[nodiscard]] std::optional<PressureWords> WordsOf(NodeConditionType condition);

}  // namespace jettison::kube
