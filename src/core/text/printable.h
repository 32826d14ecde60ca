#pragma once

#include <string>
#include <string_view>

namespace jettison {

// The text with U+FFFD for every byte that is part of no character (RFC 3629: no overlong form, no
// surrogate, nothing beyond U+10FFFF).
[[nodiscard]] std::string Utf8Of(std::string_view text);

// The text with a blank for every control character, ends of lines and changes of the direction
// included: what others wrote must not steer a terminal, nor look like a line of ours.
[[nodiscard]] std::string Printable(std::string_view text);

}  // namespace jettison
