#pragma once

#include <optional>
#include <string>

#include "cli/ask/ask_kubelet.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// What a kubelet said last (configz), in the agent's root folder: an agent that starts while the
// API server is away continues with it.

// Keeps the answer of that node's kubelet, readable by root alone: it may hold the headers with
// which the kubelet fetches manifests. Where it is there already, only its time is renewed.
[[nodiscard]] Result<void> KeepAnswer(const std::string& root, const std::string& node,
                                      const std::string& text);

struct KeptAnswer {
  KubeletAnswer answer;
  Duration age{0};  // since the kubelet said so last, by the clock of the file system
};
// Absent: none of this node is there, or it cannot be read or understood.
[[nodiscard]] std::optional<KeptAnswer> ReadKeptAnswer(const std::string& root,
                                                       const std::string& node);

}  // namespace jettison
