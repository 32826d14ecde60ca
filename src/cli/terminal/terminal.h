#pragma once

#include <cstddef>
#include <string_view>

#include "cli/terminal/text_line.h"

namespace jettison {

// Whether standard output is a terminal that can move its cursor.
[[nodiscard]] bool IsScreen();
// What standard output can show, from its locale, TERM and NO_COLOR (no-color.org).
[[nodiscard]] TextStyle StyleOfStandardOutput();
// Its size now; 80x24 where it is no terminal.
[[nodiscard]] ScreenSize SizeOfStandardOutput();
// How long its lines may be: as wide as a terminal is; for a file or another program as COLUMNS
// says (POSIX), and else as long as any text, because nothing is to be cut there.
[[nodiscard]] std::size_t ColumnsOfStandardOutput();
// Whether it would take output without waiting; not after Ctrl-S.
[[nodiscard]] bool TakesOutput();
// Writes all of it, unless the terminal is gone.
void WriteToTerminal(std::string_view text);

// What every terminal of the last decades understands (ECMA-48, DEC private modes).
inline constexpr std::string_view kHideCursor = "\x1b[?25l";
inline constexpr std::string_view kShowCursor = "\x1b[?25h";
inline constexpr std::string_view kClearLine = "\x1b[K";
inline constexpr std::string_view kClearBelow = "\x1b[J";
inline constexpr std::string_view kClearScreen = "\x1b[2J\x1b[H";
// A terminal that knows it shows the whole picture at once; the others ignore it.
inline constexpr std::string_view kBeginUpdate = "\x1b[?2026h";
inline constexpr std::string_view kEndUpdate = "\x1b[?2026l";

}  // namespace jettison
