#include "cli/terminal/bar.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace jettison {
namespace {

constexpr double kNearly = 0.8;  // of the way to the threshold: time to look

// One column of a bar that is filled by so many eighths.
std::string_view Cell(int eighths, TextStyle style) {
  static constexpr std::array<std::string_view, 9> kBlocks = {"·", "▏", "▎", "▍", "▌",
                                                              "▋", "▊", "▉", "█"};
  if (!style.unicode) return eighths >= 4 ? "#" : ".";
  return kBlocks[static_cast<std::size_t>(eighths)];
}

Ink InkOf(const BarFigures& figures, double share) {
  if (figures.met) return Ink::kBad;
  return share >= kNearly * kThresholdAt ? Ink::kWarning : Ink::kGood;
}

// A bar's length in eighths of a column.
int Eighths(double share, std::size_t columns) {
  return static_cast<int>(std::lround(share * static_cast<double>(columns) * 8));
}

std::size_t ColumnOf(double share, std::size_t columns) {
  return static_cast<std::size_t>(std::lround(static_cast<double>(columns) * share));
}

}  // namespace

double BarShare(const BarFigures& figures, std::int64_t available) {
  const double before =
      static_cast<double>(figures.capacity) - static_cast<double>(figures.threshold);
  if (before <= 0) return 1;
  const double used = static_cast<double>(figures.capacity) - static_cast<double>(available);
  return std::clamp(used / before * kThresholdAt, 0.0, 1.0);
}

void AddBar(TextLine& line, const BarFigures& figures, std::size_t columns, TextStyle style) {
  const double share = figures.available ? BarShare(figures, *figures.available) : 0;
  const double shadow_share = figures.lowest ? BarShare(figures, *figures.lowest) : share;
  const Ink ink = InkOf(figures, share);
  const Ink shadow_ink = shadow_share > kThresholdAt ? Ink::kBad : Ink::kFaint;
  const std::size_t mark = ColumnOf(kThresholdAt, columns);
  const std::size_t earlier =
      figures.earlier ? ColumnOf(BarShare(figures, *figures.earlier), columns) : columns;
  const int filled = Eighths(share, columns);
  const int shadow = Eighths(shadow_share, columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const int begin = static_cast<int>(i) * 8;
    const int eighths = std::clamp(filled - begin, 0, 8);
    if (i == mark) {
      line.Add(style.unicode ? "┃" : "|", Ink::kStrong);
    } else if (i == earlier) {
      line.Add(style.unicode ? "╎" : "!", Ink::kStrong);
    } else if (eighths == 0 && shadow >= begin + 4) {
      line.Add(style.unicode ? "░" : ":", shadow_ink);
    } else {
      line.Add(Cell(eighths, style), eighths == 0 ? Ink::kFaint : ink);
    }
  }
}

}  // namespace jettison
