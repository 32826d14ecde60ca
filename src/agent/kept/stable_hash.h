#pragma once

#include <string>
#include <string_view>

namespace jettison {

// 32 hexadecimal digits that depend on the bytes of `text` alone: the same on every machine and in
// every version (FNV-1a, 128 bits). Tells texts apart; does not withstand someone who wants two to
// be equal.
[[nodiscard]] std::string StableHash(std::string_view text);

}  // namespace jettison
