#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/terminal/text_line.h"
#include "cli/top/top.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

constexpr std::size_t kFewestColumns = 60;  // narrower terminals see less of each line
constexpr std::size_t kMostColumns = 200;

using Lines = std::vector<TextLine>;

std::string WhyText(const OverviewPod& pod) {
  if (!pod.protection.empty() && pod.protection != NameOf(Protection::kNone)) {
    return pod.protection + ": never";
  }
  if (!pod.waiting_reason.empty()) return pod.waiting_reason;
  return pod.refused_for.empty() ? pod.why : pod.refused_for;
}

std::string StateText(const OverviewPod& pod, Instant now) {
  if (!pod.waiting_reason.empty()) return pod.activity;
  return pod.refused_for.empty() ? PodStateText(pod, now) : "refused";
}

std::vector<TextLine> PodRow(const OverviewPod& pod, const Overview& overview) {
  const bool alive = pod.activity == "running" || pod.activity == "starting";
  const Ink ink = alive ? Ink::kPlain : Ink::kFaint;
  return {
      TextLine(pod.place ? fmt::format("{:3}", *pod.place) : "", ink),
      TextLine(PodNameText(pod, SeveralNamespaces(overview.pods)), alive ? Ink::kStrong : ink),
      TextLine(pod.qos, ink),
      TextLine(fmt::format("{}", pod.priority), ink),
      TextLine(BytesText(pod.memory_bytes), ink),
      TextLine(pod.request_bytes == 0 ? "none" : BytesText(pod.request_bytes), ink),
      TextLine(BytesText(pod.ephemeral_bytes), ink),
      TextLine(pod.processes ? fmt::format("{}", *pod.processes) : "-", ink),
      TextLine(AmountText(overview.ranked_for, pod.excess), pod.over_request ? Ink::kWarning : ink),
      TextLine(StateText(pod, overview.at), PodStateInk(pod)),
      TextLine(WhyText(pod), Ink::kFaint),
  };
}

// A title, a header and a line for each of the first pods.
Lines PodLines(const Overview& overview, std::size_t most, std::size_t columns, TextStyle style) {
  if (overview.pods.empty()) return {TextLine("No pods.", Ink::kFaint)};
  std::vector<std::vector<TextLine>> rows;
  for (const OverviewPod& pod : overview.pods) {
    if (rows.size() < most) rows.push_back(PodRow(pod, overview));
  }
  TextLine title(
      fmt::format("PODS {} of {} in the order of eviction for ", rows.size(), overview.pods.size()),
      Ink::kFaint);
  title.Add(NameOf(overview.ranked_for), Ink::kStrong);
  if (overview.ranked_for == overview.nearest) title.Add(" (nearest)", Ink::kFaint);
  if (overview.pods_measured_at) {
    const Duration age = Elapsed(*overview.pods_measured_at, overview.at);
    title.Add(fmt::format(", measured {} ago", SpanText(age)), Ink::kFaint);
  }
  Lines lines = TableLines({{.header = "#", .right = true},
                            {.header = "POD", .most = std::max<std::size_t>(columns / 4, 12)},
                            {.header = "QOS", .dispensable = 3},
                            {.header = "PRIO", .right = true},
                            {.header = "MEMORY", .right = true},
                            {.header = "REQUEST", .right = true, .dispensable = 2},
                            {.header = "DISK", .right = true, .dispensable = 5},
                            {.header = "PROCS", .right = true, .dispensable = 4},
                            {.header = "OVER", .right = true},
                            {.header = "STATE", .most = 13},
                            {.header = "WHY", .dispensable = 1}},
                           std::move(rows), columns, style);
  lines.insert(lines.begin(), std::move(title));
  return lines;
}

std::vector<TextLine> EventLines(const Overview& overview, std::size_t most) {
  std::vector<TextLine> lines;
  const std::size_t count = overview.events.size();
  for (std::size_t i = count - std::min(most, count); i < count; ++i) {
    const OverviewEvent& event = overview.events[i];
    TextLine& line = lines.emplace_back();
    line.Add(ClockText(event.at), Ink::kFaint).Add("  ");
    line.Add(fmt::format("{} {}: {}", EventReasonText(event), event.object, event.message),
             event.type == "Warning" ? Ink::kBad : Ink::kPlain);
    if (event.count > 1) line.Add(fmt::format(" ({} times)", event.count), Ink::kFaint);
  }
  return lines;
}

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

std::vector<std::string> ComposeTop(Lines title, const Overview& overview, ScreenSize size,
                                    TextStyle style) {
  constexpr std::size_t kPodHeaders = 2;
  const std::size_t columns = std::clamp(size.columns, kFewestColumns, kMostColumns);
  Lines lines = std::move(title);
  std::ranges::move(HeadLines(overview), std::back_inserter(lines));
  const auto put = [&lines](Lines more) {
    lines.emplace_back();
    std::ranges::move(more, std::back_inserter(lines));
  };
  put(SignalLines(overview, /*bars=*/true, columns, style));
  const std::size_t used = lines.size() + kPodHeaders + 2;
  const std::size_t left = size.rows > used ? size.rows - used : 0;
  const std::size_t events = std::min(overview.events.size(), left / 3);
  put(PodLines(overview, left - events, columns, style));
  put(EventLines(overview, events));
  lines.resize(std::min(lines.size(), size.rows - std::min<std::size_t>(size.rows, 1)));
  std::vector<std::string> rendered;
  for (const TextLine& line : lines) {
    rendered.push_back(line.Render(std::min(size.columns, columns), style));
  }
  return rendered;
}

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
