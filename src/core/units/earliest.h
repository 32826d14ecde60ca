#pragma once

#include <initializer_list>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// The first of these times; absent where all are.
[[nodiscard]] inline std::optional<Instant> Earliest(
    std::initializer_list<std::optional<Instant>> times) {
  std::optional<Instant> first;
  for (const auto& at : times) {
    if (at && (!first || *at < *first)) first = at;
  }
  return first;
}

}  // namespace jettison
