#include "cli/top/top_lines.h"

#include <fmt/format.h>

#include "cli/terminal/amount_text.h"
#include "cli/top/overview_text.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

std::string SignalText(const OverviewSignal& signal, Instant now) {
  std::string text =
      fmt::format("{} {}", NameOf(signal.signal), AmountText(signal.signal, signal.available));
  for (const OverviewThreshold& threshold : signal.thresholds) {
    text += fmt::format(" ({} {}: {})", threshold.hard ? "hard" : "soft", threshold.value,
                        ThresholdStateText(threshold, now));
  }
  return text;
}

std::string NodeText(const Overview& overview) {
  const std::string pressure = PressureText(overview);
  std::string text =
      fmt::format("{}  {}", ClockText(overview.at), pressure.empty() ? "no pressure" : pressure);
  if (!overview.loop_problem.empty()) text += "; " + overview.loop_problem;
  if (overview.phase != "monitoring") text += ", " + overview.phase;
  for (const OverviewSignal& signal : overview.signals) {
    text += "; " + SignalText(signal, overview.at);
  }
  text += fmt::format("; {} pods", overview.pods.size());
  if (overview.pods.empty() || !overview.pods.front().place) return text;
  return text +
         ", first to be evicted: " + PodNameText(overview.pods.front(), /*with_namespace=*/true);
}

}  // namespace

std::vector<std::string> TopLines::News(const Overview& overview) {
  std::vector<std::string> lines;
  for (const OverviewEvent& event : overview.events) {
    if (!told_until_ || event.at <= *told_until_) continue;
    lines.push_back(Printable(fmt::format("{}  {} {} {}: {}", ClockText(event.at), event.type,
                                          EventReasonText(event), event.object, event.message)));
  }
  told_until_ = overview.at;
  lines.push_back(Printable(NodeText(overview)));
  return lines;
}

}  // namespace jettison
