#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// Columns of text that line up; widths are those of the longest cells. ASCII.
class TextTable {
 public:
  enum class Align : bool { kLeft, kRight };

  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  // Cells that are missing at the end are empty; names in them are others' (Printable).
  void Add(std::vector<std::string> cells);
  // Every row with its newline, `indent` blanks in front; none ends in blanks.
  [[nodiscard]] std::string Text(std::size_t indent) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Breaks a sentence into lines of at most `width` characters where there are blanks, with `indent`
// blanks in front of each but `first` in front of the first. Names in it are others' (Printable).
[[nodiscard]] std::string Wrapped(std::string_view text, std::string_view first, std::size_t indent,
                                  std::size_t width = 100);

}  // namespace jettison
