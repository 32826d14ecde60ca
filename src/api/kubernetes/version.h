#pragma once

#include <string_view>

namespace jettison {

// Of the program: "0.1.0".
[[nodiscard]] std::string_view Version();

}  // namespace jettison
