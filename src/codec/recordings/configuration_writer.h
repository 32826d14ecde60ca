#pragma once

#include <string>

#include "core/pass/pass.h"

namespace jettison {

// A policy as a KubeletConfiguration in YAML, which a kubelet or `jettison run` takes. Thresholds
// on containerfs.* are left out, because they follow from others. Thresholds of Jettison's own
// signals are in a JettisonConfiguration behind it, where there are any.
[[nodiscard]] std::string ConfigurationYaml(const PassPolicy& policy);

}  // namespace jettison
