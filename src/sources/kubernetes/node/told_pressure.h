#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/model/signal.h"

namespace jettison::kube {

// The conditions that are published in the cluster. The condition for I/O stalls is not: the pods
// that are evicted for it are few and large, and new pods do not make it worse by their presence.
inline constexpr std::array kToldConditions = {NodeConditionType::kMemoryPressure,
                                               NodeConditionType::kDiskPressure,
                                               NodeConditionType::kPidPressure};

// How a condition appears on the node's API object. Type and taint are the agent's own, because the
// kubelet rewrites its own conditions every ten seconds by its own view of the node.
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
