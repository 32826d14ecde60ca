#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// What a piece of text means, from which its colour follows.
enum class Ink : std::uint8_t { kPlain, kFaint, kStrong, kGood, kWarning, kBad, kBadStrong };

// What the terminal can show.
struct TextStyle {
  bool color = true;
  bool unicode = true;
};

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
  // As Printable.
  TextLine& Add(std::string_view text, Ink ink = Ink::kPlain);
  // Fills up with blanks to that column; where the line is longer already, one blank parts it from
  // what follows.
  TextLine& To(std::size_t column);
  // Text that ends before `column`.
  TextLine& RightTo(std::size_t column, std::string_view text, Ink ink = Ink::kPlain);

  [[nodiscard]] std::size_t width() const { return width_; }
  // At most `columns` wide: what is longer is cut off and ends with an ellipsis.
  [[nodiscard]] std::string Render(std::size_t columns, TextStyle style) const;

 private:
  struct Piece {
    std::string text;
    Ink ink;
  };
  std::vector<Piece> pieces_;
  std::size_t width_ = 0;
};

// Breaks a text at blanks into lines of at most `columns`; a longer word stands alone. At most
// `lines`: the last one is then filled up and ends in an ellipsis. Blanks at the end are dropped.
[[nodiscard]] std::vector<std::string> Wrap(std::string_view text, std::size_t columns,
                                            std::size_t lines, TextStyle style);

}  // namespace jettison
