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

// A bar's length in eighths of a column.
int Eighths(double share, std::size_t columns) {
  return static_cast<int>(std::lround(share * static_cast<double>(columns) * 8));
}

}  // namespace

double BarShare(const ThresholdView& view, std::int64_t available) {
  if (!view.observation) return 0;
  const auto capacity = static_cast<double>(view.observation->capacity);
  const auto threshold =
      static_cast<double>(QuantityOf(view.threshold.value, view.observation->capacity).Value());
  if (capacity <= threshold) return 1;
  const double used = capacity - static_cast<double>(available);
  return std::clamp(used / (capacity - threshold) * kThresholdAt, 0.0, 1.0);
}

void AddBar(TextLine& line, const ThresholdView& view, std::optional<std::int64_t> lowest,
            std::size_t columns, TextStyle style) {
  const std::int64_t available = view.observation ? view.observation->available : 0;
  const double share = BarShare(view, available);
  const double shadow_share = BarShare(view, lowest.value_or(available));
  const Ink ink = InkOf(view, share);
  const Ink shadow_ink = shadow_share > kThresholdAt ? Ink::kBad : Ink::kFaint;
  const auto mark =
      static_cast<std::size_t>(std::lround(static_cast<double>(columns) * kThresholdAt));
  const int filled = Eighths(share, columns);
  const int shadow = Eighths(shadow_share, columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const int begin = static_cast<int>(i) * 8;
    const int eighths = std::clamp(filled - begin, 0, 8);
    if (i == mark) {
      line.Add(style.unicode ? "┃" : "|", Ink::kStrong);
    } else if (eighths == 0 && shadow >= begin + 4) {
      line.Add(style.unicode ? "░" : ":", shadow_ink);
    } else {
      line.Add(Cell(eighths, style), eighths == 0 ? Ink::kFaint : ink);
    }
  }
}

}  // namespace jettison
