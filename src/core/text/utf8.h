#pragma once

#include <cstddef>
#include <string_view>

namespace jettison {

// What stands for bytes that are no character: U+FFFD.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Bytes of the character that `text`, which is not empty, begins with; 0 where they are none (RFC
// 3629: no overlong form, no surrogate, nothing beyond U+10FFFF).
[[nodiscard]] std::size_t Utf8CharacterSize(std::string_view text);

}  // namespace jettison
