#pragma once

#include <optional>

namespace jettison {

// Assigns a value if it is present. Its reader has checked that it fits the type.
template <typename T, typename U>
void Take(const std::optional<T>& value, U& into) {
  if (value) into = static_cast<U>(*value);
}

}  // namespace jettison
