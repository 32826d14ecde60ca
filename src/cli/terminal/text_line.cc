#include "cli/terminal/text_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/model/pressure.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::string_view CodeOf(Ink ink) {
  constexpr auto kCodes = std::to_array<std::string_view>(
      {"", "\x1b[2m", "\x1b[1m", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[1;31m"});
  return kCodes[static_cast<std::size_t>(ink)];
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

constexpr std::size_t kBetweenColumns = 2;

std::vector<std::size_t> Widths(const std::vector<TableColumn>& table,
                                const std::vector<std::vector<TextLine>>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::size_t width = table[i].header.size();
    for (const auto& row : rows) width = std::max(width, row[i].width());
    widths.push_back(table[i].most > 0 ? std::min(width, table[i].most) : width);
  }
  return widths;
}

bool IsBytes(Signal signal) {
  return UnitNameOf(signal) == "bytes";
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

TextLine& TextLine::Add(const TextLine& more) {
  for (const Piece& piece : more.pieces_) Add(piece.text, piece.ink);
  return *this;
}

TextLine TextLine::Cut(std::size_t columns) const {
  if (width_ <= columns) return *this;
  TextLine line;
  if (columns == 0) return line;
  for (const Piece& piece : pieces_) {
    line.Add(Prefix(piece.text, columns - 1 - line.width_), piece.ink);
  }
  return line.Add("…");
}

std::string TextLine::Render(std::size_t columns, bool colored) const {
  if (width_ > columns) return Cut(columns).Render(columns, colored);
  std::string out;
  for (const Piece& piece : pieces_) {
    const std::string_view code = colored ? CodeOf(piece.ink) : "";
    out.append(code).append(piece.text);
    if (!code.empty()) out += "\x1b[0m";
  }
  return out;
}

std::vector<TextLine> TableLines(std::vector<TableColumn> table,
                                 std::vector<std::vector<TextLine>> rows, std::size_t columns) {
  std::vector<TextLine> header;
  for (const TableColumn& column : table) header.emplace_back(column.header, Ink::kFaint);
  rows.insert(rows.begin(), std::move(header));
  const std::vector<std::size_t> widths = Widths(table, rows);
  std::vector<bool> shown;
  for (const std::size_t width : widths) shown.push_back(width > 0);
  const auto too_wide = [&] {
    std::size_t end = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (shown[i]) end += widths[i] + kBetweenColumns;
    }
    return end > columns + kBetweenColumns;
  };
  while (too_wide()) {
    const auto first = std::ranges::max_element(table, {}, &TableColumn::dispensable);
    if (first->dispensable == 0) break;
    first->dispensable = 0;
    shown[static_cast<std::size_t>(first - table.begin())] = false;
  }
  std::vector<TextLine> lines;
  for (const auto& row : rows) {
    TextLine& line = lines.emplace_back();
    std::size_t begin = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!shown[i]) continue;
      const TextLine cell = row[i].Cut(widths[i]);
      const std::size_t blanks = table[i].right ? widths[i] - cell.width() : 0;
      if (cell.width() > 0) line.To(begin + blanks).Add(cell);
      begin += widths[i] + kBetweenColumns;
    }
  }
  return lines;
}

std::string BytesText(std::optional<std::int64_t> bytes) {
  if (!bytes) return "-";
  const double kib = static_cast<double>(*bytes) / 1024.0;
  if (std::abs(kib) < 1023.5) return fmt::format("{:.0f} KiB", kib);
  const double mib = kib / 1024.0;
  if (std::abs(mib) < 9.95) return fmt::format("{:.1f} MiB", mib);
  if (std::abs(mib) < 9999.5) return fmt::format("{:.0f} MiB", mib);
  const double gib = mib / 1024.0;
  if (std::abs(gib) < 999.95) return fmt::format("{:.1f} GiB", gib);
  return fmt::format("{:.1f} TiB", gib / 1024.0);
}

std::string AmountText(Signal signal, std::optional<std::int64_t> amount) {
  if (!amount) return "-";
  if (IsPressure(signal)) return ShareText(*amount);
  return IsBytes(signal) ? BytesText(amount) : fmt::format("{}", *amount);
}

std::string TrendText(Signal signal, std::optional<std::int64_t> per_second) {
  if (!per_second) return "-";
  constexpr std::int64_t kHardlyBytes = 512;  // less would be told as 0 KiB
  const std::int64_t size =
      std::abs(std::max(*per_second, -std::numeric_limits<std::int64_t>::max()));
  if (size == 0 || (IsBytes(signal) && size < kHardlyBytes)) return "steady";
  return fmt::format("{}{}/s", *per_second < 0 ? "-" : "+", AmountText(signal, size));
}

std::string ClockText(Instant at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  const std::chrono::hh_mm_ss time(seconds - std::chrono::floor<std::chrono::days>(seconds));
  return fmt::format("{:02}:{:02}:{:02}", time.hours().count(), time.minutes().count(),
                     time.seconds().count());
}

std::string SpanText(Duration span) {
  const double seconds = std::max(std::chrono::duration<double>(span).count(), 0.0);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1, "s"}, {60, "min"}, {3600, "h"}, {86400, "d"}}};
  constexpr double kMost = 120;  // of one unit, before the next is told
  for (const auto& [size, name] : kUnits) {
    if (seconds < kMost * size || size == kUnits.back().first) {
      return fmt::format("{:.0f} {}", seconds / size, name);
    }
  }
  __builtin_unreachable();
}

}  // namespace jettison
