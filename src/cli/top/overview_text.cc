#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <vector>

#include "cli/terminal/text_line.h"
#include "cli/top/top.h"
#include "core/model/event.h"

namespace jettison {
namespace {

constexpr std::size_t kBarColumns = 24;
constexpr std::size_t kBeforeThreshold = 5;  // columns of the table of signals

bool IsBeingEvicted(const OverviewPod& pod) {
  return pod.reason == "Evicted" &&
         (pod.activity == "terminating" || pod.activity == "cleaning up");
}

using Lines = std::vector<TextLine>;

void AddHead(const Overview& overview, Lines& lines) {
  const std::string pressure = PressureText(overview);
  if (!overview.loop_problem.empty()) {
    lines.emplace_back().Add(overview.loop_problem, Ink::kBadStrong);
  }
  TextLine& line = lines.emplace_back();
  line.Add(overview.node.empty() ? "node" : overview.node, Ink::kStrong).Add("  ");
  if (overview.passes == 0) {
    line.Add("not looked at yet", Ink::kWarning);
  } else if (pressure.empty()) {
    line.Add("no pressure", Ink::kGood);
  } else {
    line.Add(pressure, Ink::kBadStrong);
  }
  if (overview.phase != "monitoring") line.Add(", ").Add(overview.phase, Ink::kWarning);
  if (overview.dry_run) line.Add("  ").Add("DRY RUN: nothing is evicted", Ink::kWarning);
  TextLine& agent = lines.emplace_back();
  agent.Add("jettison " + overview.version, Ink::kFaint);
  if (overview.started_at != Instant{}) {  // the demo's agent does not say
    agent.Add(", up " + SpanText(Elapsed(overview.started_at, overview.at)), Ink::kFaint);
  }
  agent.Add(fmt::format(", {} passes", overview.passes), Ink::kFaint);
  if (overview.last_pass) {
    agent.Add(fmt::format(", the last one {} ago",
                          SpanText(Elapsed(overview.last_pass->at, overview.at))),
              Ink::kFaint);
  }
}

void AddHints(const Overview& overview, Lines& lines) {
  struct Hint {
    std::string_view label;
    std::string text;
    Ink ink;
  };
  std::vector<Hint> hints = {{"memory is held by ", overview.memory_held, Ink::kWarning},
                             {"the disk is held by ", overview.disk_held, Ink::kWarning},
                             {"the next eviction waits: ", overview.eviction_waits, Ink::kWarning},
                             {"", overview.state_problem, Ink::kBad},
                             {"", overview.limits_problem, Ink::kBad},
                             {"", overview.threshold_notice, Ink::kFaint}};
  for (const std::string& pod : overview.not_guarded) {
    hints.push_back({"not guarded: ", pod, Ink::kBad});
  }
  for (const Hint& hint : hints) {
    if (hint.text.empty()) continue;
    lines.emplace_back(hint.label, hint.ink)
        .Add(hint.text, hint.label.empty() ? hint.ink : Ink::kPlain);
  }
}

BarFigures FiguresOf(const OverviewSignal& signal) {
  BarFigures figures{.available = signal.available, .capacity = signal.capacity.value_or(0)};
  if (signal.thresholds.empty() || !signal.thresholds.front().amount) return figures;
  figures.threshold = *signal.thresholds.front().amount;
  for (const OverviewThreshold& threshold : signal.thresholds) {
    figures.met = figures.met || threshold.met;
    if (threshold.amount > figures.threshold) figures.earlier = threshold.amount;
  }
  return figures;
}

}  // namespace

std::string PodNameText(const OverviewPod& pod, bool with_namespace) {
  return with_namespace ? fmt::format("{}/{}", pod.namespace_, pod.name) : pod.name;
}

bool SeveralNamespaces(const std::vector<OverviewPod>& pods) {
  return std::ranges::any_of(
      pods, [&](const OverviewPod& pod) { return pod.namespace_ != pods.front().namespace_; });
}

std::string PodStateText(const OverviewPod& pod, Instant now) {
  if (IsBeingEvicted(pod)) return "evicted";
  if (!pod.waiting_reason.empty()) return pod.activity + ": " + pod.waiting_reason;
  if (pod.activity == "running") return pod.evictions > 0 ? "running again" : "running";
  if (!pod.refused_for.empty()) {
    return "waiting: refused, " + pod.refused_for +
           (pod.refused_until ? ", until " + ClockText(*pod.refused_until) + " at the earliest"
                              : "");
  }
  if (pod.comes_back_after.empty()) return pod.activity;
  if (!pod.comes_back_at) return "back after " + pod.comes_back_after;
  return fmt::format("back in {} at the earliest, after {}",
                     SpanText(std::max(Elapsed(now, *pod.comes_back_at), Duration::zero())),
                     pod.comes_back_after);
}

std::string EventReasonText(const OverviewEvent& event) {
  return event.refused_for.empty() ? event.reason : "Refused";
}

Ink PodStateInk(const OverviewPod& pod) {
  if (IsBeingEvicted(pod)) return Ink::kBadStrong;
  if (pod.activity == "running" && pod.waiting_reason.empty()) return Ink::kGood;
  return pod.evictions > 0 ? Ink::kBad : Ink::kWarning;
}

std::string ThresholdStateText(const OverviewThreshold& threshold, Instant now) {
  if (!threshold.met) {
    return threshold.time_to ? fmt::format("in {}", SpanText(*threshold.time_to)) : "far";
  }
  if (!threshold.since) return "met";
  const Duration met = std::max(Elapsed(*threshold.since, now), Duration::zero());
  if (threshold.hard || threshold.overdue) return fmt::format("met for {}", SpanText(met));
  return fmt::format("met for {}, acts in {}", SpanText(met),
                     SpanText(std::max(threshold.grace_period, Duration::zero()) - met));
}

std::string PressureText(const Overview& overview) {
  std::string text;
  for (const OverviewCondition& condition : overview.conditions) {
    if (!condition.status) continue;
    text += text.empty() ? "" : ", ";
    text += condition.type;
  }
  return text;
}

std::vector<TextLine> HeadLines(const Overview& overview) {
  Lines lines;
  AddHead(overview, lines);
  AddHints(overview, lines);
  return lines;
}

std::vector<TextLine> SignalLines(const Overview& overview, bool bars, std::size_t columns,
                                  TextStyle style) {
  if (overview.signals.empty()) {
    return {TextLine("No thresholds are set: no pod is evicted for node pressure.")};
  }
  std::vector<std::vector<TextLine>> rows;
  for (const OverviewSignal& signal : overview.signals) {
    const bool met = std::ranges::any_of(signal.thresholds, &OverviewThreshold::met);
    auto* row = &rows.emplace_back(std::vector<TextLine>{
        TextLine(NameOf(signal.signal), met ? Ink::kBadStrong : Ink::kPlain),
        bars ? Bar(FiguresOf(signal), kBarColumns, style) : TextLine(),
        TextLine(AmountText(signal.signal, signal.available), met ? Ink::kBad : Ink::kPlain),
        TextLine(AmountText(signal.signal, signal.capacity)),
        TextLine(TrendText(signal.signal, signal.trend_per_second))});
    for (const OverviewThreshold& threshold : signal.thresholds) {
      if (row == nullptr) row = &rows.emplace_back(kBeforeThreshold);
      row->emplace_back(fmt::format("{} {}", threshold.hard ? "hard" : "soft", threshold.value));
      row->emplace_back(ThresholdStateText(threshold, overview.at), threshold.met ? Ink::kBadStrong
                                                                    : threshold.time_to
                                                                        ? Ink::kWarning
                                                                        : Ink::kFaint);
      row = nullptr;
    }
  }
  for (auto& row : rows) row.resize(kBeforeThreshold + 2);
  return TableLines({{.header = "SIGNAL"},
                     {.header = bars ? "USED" : "", .dispensable = bars ? 1 : 9},
                     {.header = "AVAILABLE", .right = true},
                     {.header = "CAPACITY", .right = true, .dispensable = 3},
                     {.header = "TREND", .right = true, .dispensable = 2},
                     {.header = "THRESHOLD"},
                     {.header = "REACHED"}},
                    std::move(rows), columns, style);
}

namespace {

constexpr std::size_t kEvictions = 5;
constexpr std::size_t kUnderWay = 10;
constexpr std::size_t kAnyColumns = 1U << 20;  // tables are not cut

void Append(Lines more, Lines& lines) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

void AddConditions(const Overview& overview, TextStyle style, Lines& lines) {
  if (overview.conditions.empty()) return;
  lines.emplace_back();
  std::vector<std::vector<TextLine>> rows;
  for (const OverviewCondition& condition : overview.conditions) {
    const Ink ink = condition.status ? Ink::kBadStrong : Ink::kPlain;
    rows.push_back({TextLine(condition.type, ink),
                    TextLine(condition.status ? "True" : "False", ink),
                    TextLine(SpanText(Elapsed(condition.since, overview.at))),
                    TextLine(condition.reason, ink)});
  }
  Append(
      TableLines(
          {{.header = "CONDITION"}, {.header = "STATUS"}, {.header = "FOR"}, {.header = "REASON"}},
          std::move(rows), kAnyColumns, style),
      lines);
  for (const OverviewTaint& taint : overview.taints) {
    lines.emplace_back().Add(fmt::format("taint {}:{}", taint.key, taint.effect), Ink::kBad);
  }
}

void AddPodsUnderWay(const Overview& overview, Lines& lines) {
  std::size_t shown = 0;
  std::size_t hidden = 0;
  for (const OverviewPod& pod : overview.pods) {
    const bool is_well = pod.activity == "running" && pod.waiting_reason.empty();
    if (is_well || pod.activity == "finished") continue;
    if (++shown > kUnderWay) {
      ++hidden;
      continue;
    }
    TextLine& line = lines.emplace_back();
    line.Add("  ").Add(PodNameText(pod, /*with_namespace=*/true), Ink::kStrong).Add("  ");
    line.Add(PodStateText(pod, overview.at), PodStateInk(pod));
    const bool told = pod.reason == "Evicted" || !pod.refused_for.empty();
    if (!pod.reason.empty() && !told) line.Add(" (").Add(pod.reason).Add(")");
    if (!pod.waiting_message.empty()) line.Add(", " + pod.waiting_message);
    if (pod.evictions > 0) {
      line.Add(fmt::format(", {} eviction{}", pod.evictions, pod.evictions == 1 ? "" : "s"),
               Ink::kFaint);
    }
  }
  if (hidden > 0) lines.emplace_back().Add(fmt::format("  and {} more", hidden), Ink::kFaint);
}

void AddPods(const Overview& overview, Lines& lines) {
  std::map<std::string, std::size_t> counts;
  for (const OverviewPod& pod : overview.pods) ++counts[pod.activity];
  TextLine& line = (lines.emplace_back(), lines.emplace_back());
  line.Add("PODS", Ink::kFaint).Add(fmt::format("  {}", overview.pods.size()));
  std::string_view separator = ": ";
  for (const auto& [activity, count] : counts) {
    line.Add(fmt::format("{}{} {}", separator, count, activity));
    separator = ", ";
  }
  AddPodsUnderWay(overview, lines);
  if (overview.pods.empty() || !overview.pods.front().place) return;
  const OverviewPod& first = overview.pods.front();
  TextLine& next = lines.emplace_back();
  next.Add("  first to be evicted for ").Add(NameOf(overview.ranked_for)).Add(": ");
  next.Add(PodNameText(first, /*with_namespace=*/true), Ink::kStrong);
  if (!first.why.empty()) next.Add(fmt::format(" (by {})", first.why), Ink::kFaint);
}

void AddEvictions(const Overview& overview, std::size_t columns, TextStyle style, Lines& lines) {
  std::vector<const OverviewEvent*> evictions;
  for (const OverviewEvent& event : overview.events) {
    if (TellsOfEviction(event.reason, event.refused_for)) evictions.push_back(&event);
  }
  if (evictions.empty()) return;
  lines.emplace_back();
  lines.emplace_back().Add("LAST EVICTIONS", Ink::kFaint);
  const std::size_t first = evictions.size() > kEvictions ? evictions.size() - kEvictions : 0;
  for (std::size_t i = first; i < evictions.size(); ++i) {
    const OverviewEvent& event = *evictions[i];
    TextLine& line = lines.emplace_back();
    line.Add("  ").Add(event.object, Ink::kStrong);
    line.Add(fmt::format("  {} ago", SpanText(Elapsed(event.at, overview.at))), Ink::kFaint);
    if (event.count > 1) line.Add(fmt::format(", {} times", event.count), Ink::kFaint);
    constexpr std::size_t kIndent = 4;
    for (const std::string& text : Wrap(event.message, columns - kIndent, 4, style)) {
      lines.emplace_back().To(kIndent).Add(text);
    }
  }
}

}  // namespace

std::string StatusText(const Overview& overview, std::size_t columns, TextStyle style) {
  const std::size_t width = std::max<std::size_t>(columns, 40);
  Lines lines = HeadLines(overview);
  AddConditions(overview, style, lines);
  lines.emplace_back();
  Append(SignalLines(overview, /*bars=*/false, kAnyColumns, style), lines);
  AddPods(overview, lines);
  AddEvictions(overview, width, style, lines);
  std::string text;
  for (const TextLine& line : lines) text += line.Render(line.width(), style) + "\n";
  return text;
}

}  // namespace jettison
