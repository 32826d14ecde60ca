#pragma once

#include <chrono>
#include <string>

#include "core/units/duration.h"

namespace jettison {

// An instant as a metav1.Time: RFC 3339 in UTC, whole seconds.
[[nodiscard]] inline std::string KubeTime(Instant at) {
  return FormatInstant(std::chrono::floor<std::chrono::seconds>(at));
}

}  // namespace jettison
