#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/text/number.h"
#include "core/units/result.h"

// What the files of control groups are made of, in either version. Pure. A text that the kernel
// would not write is kInternal, never a zero.
namespace jettison::kernel {

[[nodiscard]] inline std::string_view WithoutNewline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// A file of one number, with or without its newline: pids.current, memory.current.
[[nodiscard]] Result<std::uint64_t> ParseCounter(std::string_view text);

// pids.max, memory.max: a number, or "max", which is absent.
[[nodiscard]] Result<std::optional<std::uint64_t>> ParseMax(std::string_view text);

// A row that is looked for in a text of rows, each a key, a space and the rest.
struct Row {
  std::string_view key;
  std::optional<std::string_view> rest = std::nullopt;  // absent: there is no such row

  // The number of the row. Fails where the row is missing or holds anything else.
  [[nodiscard]] Result<std::uint64_t> Number() const;
  // The same of a row that need not be there; absent, too, where it holds no number.
  [[nodiscard]] std::optional<std::uint64_t> NumberIfAny() const;
};
// Finds the first row of each key, all in one pass that ends as soon as there is nothing more to
// find.
void FindRows(std::string_view text, std::span<Row> rows);

// The rest of the row that begins with `key` and a space; absent where there is no such row.
[[nodiscard]] std::optional<std::string_view> FindRow(std::string_view text, std::string_view key);

// The number of that row. Fails where the row is missing or holds anything else.
[[nodiscard]] Result<std::uint64_t> RowNumber(std::string_view text, std::string_view key);

// cgroup.procs: one process id a line. A 0, which stands for a process outside of the reader's PID
// namespace, is left out: as an argument of kill(2) it would mean the caller's own process group.
[[nodiscard]] Result<std::vector<pid_t>> ParseProcs(std::string_view text);

// "expected WHAT, found TEXT", with the beginning of the text.
[[nodiscard]] tl::unexpected<Error> FailText(std::string_view what, std::string_view text);

}  // namespace jettison::kernel
