#pragma once

#include <optional>

namespace jettison {

// Takes a value over where it is there. Whoever read it has checked that it fits.
template <typename T, typename U>
void Take(const std::optional<T>& value, U& into) {
  if (value) into = static_cast<U>(*value);
}

}  // namespace jettison
