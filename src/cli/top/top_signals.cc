#include "cli/top/top_signals.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/amount_text.h"
#include "cli/terminal/bar.h"
#include "cli/top/overview_text.h"

namespace jettison {
namespace {

// Widths of the columns behind the bar.
constexpr std::size_t kAvailable = 11;
constexpr std::size_t kTrend = 14;
constexpr std::size_t kThreshold = 11;
constexpr std::size_t kReached = 11;
constexpr std::size_t kShortestBar = 8;

// Where the columns of one table begin, or end for figures.
struct Columns {
  std::size_t bar = 0;
  std::size_t bar_columns = 0;
  std::size_t available_end = 0;
  std::size_t trend_end = 0;  // 0: there is no room for it
  std::size_t threshold_end = 0;
  std::size_t reached = 0;
};

Columns ColumnsOf(const std::vector<const OverviewSignal*>& signals, std::size_t columns) {
  std::size_t longest = std::string_view("SIGNAL").size();
  for (const OverviewSignal* signal : signals) {
    longest = std::max(longest, NameOf(signal->signal).size());
  }
  Columns at;
  at.bar = longest + 2;
  std::size_t numbers = kAvailable + kThreshold + kReached;
  const bool trend = columns >= at.bar + kShortestBar + numbers + kTrend;
  if (trend) numbers += kTrend;
  at.bar_columns =
      columns > at.bar + kShortestBar + numbers ? columns - at.bar - numbers : kShortestBar;
  at.available_end = at.bar + at.bar_columns + kAvailable;
  at.trend_end = trend ? at.available_end + kTrend : 0;
  at.threshold_end = at.available_end + (trend ? kTrend : 0) + kThreshold;
  at.reached = at.threshold_end + 2;
  return at;
}

// The threshold that the bar's mark stands for: the hard one, else the first that is met.
const OverviewThreshold* MainThreshold(const OverviewSignal& signal) {
  if (signal.thresholds.empty()) return nullptr;
  const auto hard = std::ranges::find(signal.thresholds, true, &OverviewThreshold::hard);
  return hard != signal.thresholds.end() ? &*hard : &signal.thresholds.back();
}

// The one that is told of: of those that are met the main one, else the one that is met, else the
// one that will be met first.
const OverviewThreshold* TellingThreshold(const OverviewSignal& signal) {
  const OverviewThreshold* telling = MainThreshold(signal);
  if (telling == nullptr || telling->met) return telling;
  for (const OverviewThreshold& threshold : signal.thresholds) {
    if (threshold.met) return &threshold;
    const bool sooner =
        threshold.time_to && (!telling->time_to || *threshold.time_to < *telling->time_to);
    if (sooner) telling = &threshold;
  }
  return telling;
}

BarFigures FiguresOf(const OverviewSignal& signal) {
  BarFigures figures{.available = signal.available, .capacity = signal.capacity.value_or(0)};
  const OverviewThreshold* main = MainThreshold(signal);
  if (main == nullptr || !main->amount) return figures;
  figures.threshold = *main->amount;
  for (const OverviewThreshold& threshold : signal.thresholds) {
    figures.met = figures.met || threshold.met;
    if (&threshold != main && threshold.amount > main->amount) figures.earlier = threshold.amount;
  }
  return figures;
}

double UsedUp(const OverviewSignal& signal) {
  const BarFigures figures = FiguresOf(signal);
  return figures.available ? BarShare(figures, *figures.available) : -1;
}

std::vector<const OverviewSignal*> ShownSignals(const Overview& overview, std::size_t most) {
  std::vector<const OverviewSignal*> shown;
  for (const OverviewSignal& signal : overview.signals) shown.push_back(&signal);
  if (shown.size() <= most) return shown;
  std::ranges::stable_sort(shown, [](const OverviewSignal* a, const OverviewSignal* b) {
    return UsedUp(*a) > UsedUp(*b);
  });
  shown.resize(most);
  std::ranges::sort(shown);  // where they stand in the overview
  return shown;
}

std::string ReachedText(const OverviewThreshold& threshold, Instant now) {
  if (!threshold.met) return threshold.time_to ? "in " + SpanText(*threshold.time_to) : "";
  return threshold.since ? "met " + SpanText(Elapsed(*threshold.since, now)) : "met";
}

TextLine SignalLine(const OverviewSignal& signal, std::optional<std::int64_t> lowest,
                    const Columns& at, Instant now, TextStyle style) {
  BarFigures figures = FiguresOf(signal);
  figures.lowest = lowest;
  TextLine line;
  line.Add(NameOf(signal.signal), figures.met ? Ink::kBadStrong : Ink::kPlain).To(at.bar);
  AddBar(line, figures, at.bar_columns, style);
  line.RightTo(at.available_end, AmountText(signal.signal, signal.available),
               figures.met ? Ink::kBad : Ink::kPlain);
  if (at.trend_end > 0) {
    const bool shrinks = signal.trend_per_second.value_or(0) < 0;
    line.RightTo(at.trend_end, TrendText(signal.signal, signal.trend_per_second),
                 shrinks ? Ink::kPlain : Ink::kFaint);
  }
  const OverviewThreshold* threshold = TellingThreshold(signal);
  if (threshold == nullptr) return line;
  line.RightTo(at.threshold_end,
               fmt::format("{}{}", threshold->hard ? "" : "soft ", threshold->value));
  line.To(at.reached)
      .Add(ReachedText(*threshold, now), threshold->met ? Ink::kBadStrong : Ink::kWarning);
  return line;
}

}  // namespace

std::vector<TextLine> SignalLines(const Overview& overview, std::size_t most, std::size_t columns,
                                  TextStyle style, const LowestAvailable& lowest) {
  const auto signals = ShownSignals(overview, most);
  const Columns at = ColumnsOf(signals, columns);
  std::vector<TextLine> lines;
  TextLine& header = lines.emplace_back();
  header.Add("SIGNAL", Ink::kFaint).To(at.bar).Add("USED", Ink::kFaint);
  header.RightTo(at.available_end, "AVAILABLE", Ink::kFaint);
  if (at.trend_end > 0) header.RightTo(at.trend_end, "TREND", Ink::kFaint);
  header.RightTo(at.threshold_end, "THRESHOLD", Ink::kFaint);
  header.To(at.reached).Add("REACHED", Ink::kFaint);
  for (const OverviewSignal* signal : signals) {
    const auto shadow = lowest[IndexOf(signal->signal)];
    lines.push_back(SignalLine(*signal, shadow, at, overview.at, style));
  }
  return lines;
}

}  // namespace jettison
