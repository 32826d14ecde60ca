#include "cli/demo_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "evaluate/evaluate.h"

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

Ink InkOf(const ThresholdView& view, double share) {
  if (view.met) return Ink::kBad;
  return share >= kNearly * kThresholdAt ? Ink::kWarning : Ink::kGood;
}

}  // namespace

double BarShare(const ThresholdView& view) {
  if (!view.observation) return 0;
  const auto& seen = *view.observation;
  const double used = static_cast<double>(seen.capacity) - static_cast<double>(seen.available);
  const double line = static_cast<double>(seen.capacity) -
                      static_cast<double>(QuantityOf(view.threshold.value, seen.capacity).Value());
  if (line <= 0) return 1;
  return std::clamp(used / line * kThresholdAt, 0.0, 1.0);
}

void AddBar(TextLine& line, const ThresholdView& view, std::size_t columns, TextStyle style) {
  const double share = BarShare(view);
  const Ink ink = InkOf(view, share);
  const auto mark =
      static_cast<std::size_t>(std::lround(static_cast<double>(columns) * kThresholdAt));
  const auto filled = static_cast<int>(std::lround(share * static_cast<double>(columns) * 8));
  for (std::size_t i = 0; i < columns; ++i) {
    const int eighths = std::clamp(filled - static_cast<int>(i) * 8, 0, 8);
    if (i == mark) {
      line.Add(style.unicode ? "┃" : "|", Ink::kStrong);
    } else {
      line.Add(Cell(eighths, style), eighths == 0 ? Ink::kFaint : ink);
    }
  }
}

}  // namespace jettison
