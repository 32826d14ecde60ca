#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// What a piece of text means, from which its colour follows.
enum class Ink : std::uint8_t { kPlain, kFaint, kStrong, kGood, kWarning, kBad, kBadStrong };

struct ScreenSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// How many columns a UTF-8 text takes. Every character counts as one: nothing wider is written,
// names of Kubernetes are ASCII.
[[nodiscard]] std::size_t WidthOf(std::string_view text);

// One line of text in pieces, each with its ink; laid out in columns before it is rendered.
class TextLine {
 public:
  TextLine() = default;
  explicit TextLine(std::string_view text, Ink ink = Ink::kPlain) { Add(text, ink); }

  // As Printable.
  TextLine& Add(std::string_view text, Ink ink = Ink::kPlain);
  TextLine& Add(const TextLine& more);
  // Fills up with blanks to that column; where the line is longer already, one blank parts it from
  // what follows.
  TextLine& To(std::size_t column);

  [[nodiscard]] std::size_t width() const { return width_; }
  // The line at most `columns` wide: what is longer is cut off and ends with an ellipsis.
  [[nodiscard]] TextLine Cut(std::size_t columns) const;
  // The same as text, with the codes of its colours where it is to have them.
  [[nodiscard]] std::string Render(std::size_t columns, bool colored) const;

 private:
  struct Piece {
    std::string text;
    Ink ink;
  };
  std::vector<Piece> pieces_;
  std::size_t width_ = 0;
};

// A column of a table. It is as wide as its widest cell.
struct TableColumn {
  std::string_view header;
  bool right = false;    // figures end at one column
  int dispensable = 0;   // the higher one is left out first where there is no room; 0 stays
  std::size_t most = 0;  // what is wider is cut; 0: nothing is
};

// A header and the rows below it, of cells each, without the columns that there is no room for.
[[nodiscard]] std::vector<TextLine> TableLines(std::vector<TableColumn> table,
                                               std::vector<std::vector<TextLine>> rows,
                                               std::size_t columns);

// "14.2 GiB", "263 MiB", "6.5 MiB", "24 KiB"; "-" where the figure is absent.
[[nodiscard]] std::string BytesText(std::optional<std::int64_t> bytes);
// An amount of a signal: bytes as above, inodes and process ids as they are, shares of time as
// "12.34%".
[[nodiscard]] std::string AmountText(Signal signal, std::optional<std::int64_t> amount);
// How fast an amount changes: "-40 MiB/s", "+3/s", "steady"; "-" where it is not known.
[[nodiscard]] std::string TrendText(Signal signal, std::optional<std::int64_t> per_second);
// The time of day in UTC: "12:03:44".
[[nodiscard]] std::string ClockText(Instant at);
// A span of time for people, in the largest unit that leaves two digits: "0.4 s", "27 s", "3 min",
// "26 h", "12 d". Never negative.
[[nodiscard]] std::string SpanText(Duration span);

}  // namespace jettison
