#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "cli/terminal/text_line.h"
#include "core/shadow/shadow_pairing.h"
#include "core/units/result.h"

namespace jettison {

// The comparison for people: how many pairings agree and by how much Jettison was earlier, the last
// pairings as a table, the newest first, and what still waits. No line is longer than `columns`.
// Ends with a newline.
[[nodiscard]] std::string ShadowText(const ShadowView& view, std::size_t columns, bool colored);

// What ShadowJson has written, as a value, but for the classes of leads. Fields that an older or
// newer agent does not send are absent; kInvalidArgument where the text is no such comparison.
[[nodiscard]] Result<ShadowView> ReadShadow(std::string_view json);

// `jettison shadow`: how far a dry run and the kubelet beside it agree, asked of the running agent.
// The exit status goes to `exit_code`.
void AddShadow(CLI::App& app, int& exit_code);

}  // namespace jettison
