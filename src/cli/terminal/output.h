#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace jettison {

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

// Takes the places of standard streams that are closed, so that no file which is opened later takes
// what is meant for them. They still fail.
void HoldStandardStreams();

}  // namespace jettison
