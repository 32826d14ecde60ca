#pragma once

#include <string>
#include <string_view>

namespace jettison {

// XXH128 of a text: the same on every machine and in every version, 32 hexadecimal digits, as
// `xxh128sum` writes them. It tells texts apart; it does not withstand someone who wants two to be
// alike.
[[nodiscard]] std::string HashOf(std::string_view text);

}  // namespace jettison
