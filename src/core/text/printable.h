#pragma once

#include <string>
#include <string_view>

namespace jettison {

// The text with a blank for every control character, ends of lines and changes of the direction
// included: what others wrote must not steer a terminal, nor look like a line of ours.
[[nodiscard]] std::string Printable(std::string_view text);

}  // namespace jettison
