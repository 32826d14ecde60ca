#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "cli/terminal/text_line.h"
#include "cli/top/top.h"
#include "core/model/event.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

constexpr std::size_t kBarColumns = 24;
constexpr std::size_t kBeforeThreshold = 5;  // columns of the table of signals

bool IsBeingEvicted(const OverviewPod& pod) {
  return pod.reason == "Evicted" &&
         (pod.activity == "terminating" || pod.activity == "cleaning up");
}

using Lines = std::vector<TextLine>;

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

bool SeveralNamespaces(const std::vector<OverviewPod>& pods) {
  return std::ranges::any_of(
      pods, [&](const OverviewPod& pod) { return pod.namespace_ != pods.front().namespace_; });
}

// The reason of an event; "Refused" where that is an eviction's although the pod was not let in.
std::string EventReasonText(const OverviewEvent& event) {
  return event.refused_for.empty() ? event.reason : "Refused";
}

Ink PodStateInk(const OverviewPod& pod) {
  if (IsBeingEvicted(pod)) return Ink::kBadStrong;
  if (pod.activity == "running" && pod.waiting_reason.empty()) return Ink::kGood;
  return pod.evictions > 0 ? Ink::kBad : Ink::kWarning;
}

// Where a threshold stands: "met for 12 s, acts in 78 s", "met for 3 s", "in 27 s", "far".
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

// The types of the conditions that are true, "MemoryPressure, DiskPressure"; empty: none is.
std::string PressureText(const Overview& overview) {
  std::string text;
  for (const OverviewCondition& condition : overview.conditions) {
    if (!condition.status) continue;
    text += text.empty() ? "" : ", ";
    text += condition.type;
  }
  return text;
}

// The node with its pressure, the agent, what makes evictions slower than the pressure would have
// it, and what the agent does without.
Lines HeadLines(const Overview& overview) {
  Lines lines;
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
  return lines;
}

// A header and a line for each threshold of each signal, and a bar for each signal where `bars`.
Lines SignalLines(const Overview& overview, bool bars, std::size_t columns) {
  if (overview.signals.empty()) {
    return {TextLine("No thresholds are set: no pod is evicted for node pressure.")};
  }
  std::vector<std::vector<TextLine>> rows;
  for (const OverviewSignal& signal : overview.signals) {
    const bool met = std::ranges::any_of(signal.thresholds, &OverviewThreshold::met);
    auto* row = &rows.emplace_back(std::vector<TextLine>{
        TextLine(NameOf(signal.signal), met ? Ink::kBadStrong : Ink::kPlain),
        bars ? Bar(FiguresOf(signal), kBarColumns) : TextLine(),
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
                    std::move(rows), columns);
}

constexpr std::size_t kEvictions = 5;
constexpr std::size_t kUnderWay = 10;
constexpr std::size_t kAnyColumns = 1U << 20;  // tables are not cut

void Append(Lines more, Lines& lines) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

void AddConditions(const Overview& overview, Lines& lines) {
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
          std::move(rows), kAnyColumns),
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

void AddEvictions(const Overview& overview, std::size_t columns, Lines& lines) {
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
    for (const std::string& text : Wrap(event.message, columns - kIndent, 4)) {
      lines.emplace_back().To(kIndent).Add(text);
    }
  }
}

constexpr std::size_t kFewestColumns = 60;  // narrower terminals see less of each line
constexpr std::size_t kMostColumns = 200;

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
Lines PodLines(const Overview& overview, std::size_t most, std::size_t columns) {
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
                           std::move(rows), columns);
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

std::string PodNameText(const OverviewPod& pod, bool with_namespace) {
  return with_namespace ? fmt::format("{}/{}", pod.namespace_, pod.name) : pod.name;
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

std::string StatusText(const Overview& overview, std::size_t columns, bool colored) {
  const std::size_t width = std::max<std::size_t>(columns, 40);
  Lines lines = HeadLines(overview);
  AddConditions(overview, lines);
  lines.emplace_back();
  Append(SignalLines(overview, /*bars=*/false, kAnyColumns), lines);
  AddPods(overview, lines);
  AddEvictions(overview, width, lines);
  std::string text;
  for (const TextLine& line : lines) text += line.Render(line.width(), colored) + "\n";
  return text;
}

std::vector<std::string> ComposeTop(Lines title, const Overview& overview, ScreenSize size,
                                    bool colored) {
  constexpr std::size_t kPodHeaders = 2;
  const std::size_t columns = std::clamp(size.columns, kFewestColumns, kMostColumns);
  Lines lines = std::move(title);
  Append(HeadLines(overview), lines);
  const auto put = [&lines](Lines more) {
    lines.emplace_back();
    Append(std::move(more), lines);
  };
  put(SignalLines(overview, /*bars=*/true, columns));
  const std::size_t used = lines.size() + kPodHeaders + 2;
  const std::size_t left = size.rows > used ? size.rows - used : 0;
  const std::size_t events = std::min(overview.events.size(), left / 3);
  put(PodLines(overview, left - events, columns));
  put(EventLines(overview, events));
  lines.resize(std::min(lines.size(), size.rows - std::min<std::size_t>(size.rows, 1)));
  std::vector<std::string> rendered;
  for (const TextLine& line : lines) {
    rendered.push_back(line.Render(std::min(size.columns, columns), colored));
  }
  return rendered;
}

std::vector<std::string> NewLines(const Overview& overview, std::optional<Instant>& told_until) {
  std::vector<std::string> lines;
  for (const OverviewEvent& event : overview.events) {
    if (!told_until || event.at <= *told_until) continue;
    lines.push_back(Printable(fmt::format("{}  {} {} {}: {}", ClockText(event.at), event.type,
                                          EventReasonText(event), event.object, event.message)));
  }
  told_until = overview.at;
  lines.push_back(Printable(NodeText(overview)));
  return lines;
}

}  // namespace jettison
