#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/terminal/text_line.h"
#include "core/units/result.h"

namespace jettison {

// What every command ends with: 0 when it did what it was told.
inline constexpr int kExitFailed = 1;  // it could not
inline constexpr int kExitInvalidInput =
    2;  // it was told what makes no sense, by its arguments or files

// What a command ends with that could not begin for this reason: input that is wrong, or anything
// else, such as a file that cannot be read.
[[nodiscard]] inline int ExitStatusOf(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument ? kExitInvalidInput : kExitFailed;
}

// What every command writes goes through here. Texts for people have blanks for control characters
// (Printable), because names, keys and answers in them come from others.

// Lines of text with a blank for every control character but the ends of lines.
[[nodiscard]] std::string PrintableLines(std::string_view text);

// Writes to standard output, all of it and at once; where that fails says so on standard error and
// returns 1, else 0.
[[nodiscard]] int PrintText(std::string_view text);  // for people
[[nodiscard]] int PrintData(std::string_view data);  // for programs, or with colours: as it is

// Writes to standard error. That nobody can read it, or that its disk is full, changes neither what
// a command does nor its exit status.
void WriteToStandardError(std::string_view text);

// The same for people, as fmt::format.
template <typename... T>
void PrintError(fmt::format_string<T...> format, T&&... values) {
  WriteToStandardError(PrintableLines(fmt::format(format, std::forward<T>(values)...)));
}

// Says on standard error why a command cannot go on; returns its exit status.
[[nodiscard]] int Report(const Error& error);

// What keeps a command from beginning. Each fault is told on standard error at once, and the
// command goes on to look for others, so that one run tells all of them.
class CommandFaults {
 public:
  // Wrong usage. An empty text is no fault.
  void Add(const std::string& fault);
  // Wrong usage, or what cannot be read.
  void Add(const Error& error);
  // The value. Where there is none its error is a fault, and the answer is of no meaning.
  template <typename T>
  [[nodiscard]] T Take(Result<T> read) {
    if (read) return *std::move(read);
    Add(read.error());
    return T{};
  }

  // 0 where there is none, else the exit status of the command: that of wrong usage before that of
  // what cannot be read, because another try does not help.
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_ = 0;
};

// Whether standard output is a terminal that can move its cursor.
[[nodiscard]] bool IsScreen();
// Whether standard output is to have colours, from TERM and NO_COLOR (no-color.org).
[[nodiscard]] bool HasColors();
// Its size now; 80x24 where it is no terminal.
[[nodiscard]] ScreenSize SizeOfStandardOutput();
// How long its lines may be: as wide as a terminal is; for a file or another program as COLUMNS
// says (POSIX), and else as long as any text, because nothing is to be cut there.
[[nodiscard]] std::size_t ColumnsOfStandardOutput();

// Shows these lines from the top of the terminal, in place of what it shows; none may be longer
// than it is wide. Does nothing while the terminal takes no output (Ctrl-S).
void DrawScreen(const std::vector<std::string>& lines);

// A bar on standard error, where that is a terminal; it is gone when this is.
class ProgressBar {
 public:
  explicit ProgressBar(bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `share` of the work, from 0 to 1; `what` stands behind it.
  void Draw(double share, std::string_view what = "");

 private:
  bool shown_;
  int percent_ = -1;  // as it was drawn last
  std::string what_;  // the same
};

}  // namespace jettison
