#pragma once

#include <cstddef>
#include <string>

#include "cli/terminal/text_line.h"
#include "core/shadow/shadow_pairing.h"

namespace jettison {

// The comparison for people: how many pairings agree and by how much Jettison was earlier, the last
// pairings as a table, the newest first, and what still waits. No line is longer than `columns`.
// Ends with a newline.
[[nodiscard]] std::string ShadowText(const ShadowView& view, std::size_t columns, TextStyle style);

}  // namespace jettison
