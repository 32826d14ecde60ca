#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jettison {

// What stands for bytes that are no character: U+FFFD.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Bytes of the character that `text`, which is not empty, begins with; 0 where they are none (RFC
// 3629: no overlong form, no surrogate, nothing beyond U+10FFFF).
[[nodiscard]] std::size_t Utf8CharacterSize(std::string_view text);

// The text with a blank for every control character, ends of lines and changes of the direction
// included: what others wrote must not steer a terminal, nor look like a line of ours.
[[nodiscard]] std::string Printable(std::string_view text);

}  // namespace jettison
