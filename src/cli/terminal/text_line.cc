#include "cli/terminal/text_line.h"

#include <algorithm>

#include "core/text/printable.h"

namespace jettison {
namespace {

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::string_view CodeOf(Ink ink) {
  switch (ink) {
    case Ink::kPlain: return "";
    case Ink::kFaint: return "\x1b[2m";
    case Ink::kStrong: return "\x1b[1m";
    case Ink::kGood: return "\x1b[32m";
    case Ink::kWarning: return "\x1b[33m";
    case Ink::kBad: return "\x1b[31m";
    case Ink::kBadStrong: return "\x1b[1;31m";
  }
  __builtin_unreachable();
}

// The bytes of the first `columns` characters.
std::string_view Prefix(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size() && (columns > 0 || IsContinuation(text[bytes]))) {
    if (!IsContinuation(text[bytes])) --columns;
    ++bytes;
  }
  return text.substr(0, bytes);
}

std::string_view Ellipsis(TextStyle style) {
  return style.unicode ? "…" : "~";
}

void AppendInked(std::string& out, std::string_view text, Ink ink, TextStyle style) {
  const std::string_view code = style.color ? CodeOf(ink) : "";
  out += code;
  out += text;
  if (!code.empty()) out += "\x1b[0m";
}

// The first line's worth of `text`, without the blank that ended it.
std::string_view FirstLine(std::string_view text, std::size_t columns) {
  if (WidthOf(text) <= columns) return text;
  const std::string_view fitting = Prefix(text, columns + 1);
  std::size_t end = fitting.rfind(' ');
  if (end == std::string_view::npos || end == 0) end = text.find(' ');
  return text.substr(0, end);
}

}  // namespace

std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

TextLine& TextLine::Add(std::string_view text, Ink ink) {
  if (text.empty()) return *this;
  if (!pieces_.empty() && pieces_.back().ink == ink) {
    pieces_.back().text += Printable(text);
  } else {
    pieces_.push_back({Printable(text), ink});
  }
  width_ += WidthOf(text);
  return *this;
}

TextLine& TextLine::To(std::size_t column) {
  if (width_ == 0 && column == 0) return *this;
  return Add(std::string(width_ < column ? column - width_ : 1, ' '));
}

TextLine& TextLine::RightTo(std::size_t column, std::string_view text, Ink ink) {
  const std::size_t size = WidthOf(text);
  if (column > width_ + size) Add(std::string(column - width_ - size, ' '));
  return Add(text, ink);
}

std::string TextLine::Render(std::size_t columns, TextStyle style) const {
  std::string out;
  const bool cut = width_ > columns;
  std::size_t left = cut && columns > 0 ? columns - 1 : columns;
  for (const Piece& piece : pieces_) {
    const std::string_view shown = Prefix(piece.text, left);
    left -= WidthOf(shown);
    AppendInked(out, shown, piece.ink, style);
    if (left == 0) break;
  }
  if (cut && columns > 0) out += Ellipsis(style);
  return out;
}

std::vector<std::string> Wrap(std::string_view text, std::size_t columns, std::size_t lines,
                              TextStyle style) {
  std::vector<std::string> wrapped;
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  while (!text.empty() && wrapped.size() < lines) {
    const bool last = wrapped.size() + 1 == lines;
    if (last && WidthOf(text) > columns) {
      wrapped.push_back(
          std::string(Prefix(text, columns > 0 ? columns - 1 : 0)).append(Ellipsis(style)));
      break;
    }
    const std::string_view line = FirstLine(text, columns);
    text.remove_prefix(line.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    wrapped.emplace_back(line);
  }
  return wrapped;
}

}  // namespace jettison
