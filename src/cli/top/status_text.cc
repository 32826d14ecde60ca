#include "cli/top/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/terminal/amount_text.h"
#include "cli/top/overview_text.h"
#include "core/model/event.h"

namespace jettison {
namespace {

constexpr std::size_t kEvictions = 5;
constexpr std::size_t kUnderWay = 10;

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
  agent.Add(fmt::format("jettison {}, up {}, {} passes", overview.version,
                        SpanText(Elapsed(overview.started_at, overview.at)), overview.passes),
            Ink::kFaint);
  if (overview.last_pass) {
    agent.Add(fmt::format(", the last one {} ago",
                          SpanText(Elapsed(overview.last_pass->at, overview.at))),
              Ink::kFaint);
  }
}

// What makes evictions slower than the pressure would have it, and what the agent does without.
void AddHints(const Overview& overview, Lines& lines) {
  if (!overview.memory_held.empty()) {
    lines.emplace_back().Add("memory is held by ", Ink::kWarning).Add(overview.memory_held);
  }
  if (!overview.disk_held.empty()) {
    lines.emplace_back().Add("the disk is held by ", Ink::kWarning).Add(overview.disk_held);
  }
  if (!overview.eviction_waits.empty()) {
    lines.emplace_back()
        .Add("the next eviction waits: ", Ink::kWarning)
        .Add(overview.eviction_waits);
  }
  for (const std::string& problem : {overview.state_problem, overview.limits_problem}) {
    if (!problem.empty()) lines.emplace_back().Add(problem, Ink::kBad);
  }
  if (!overview.threshold_notice.empty()) {
    lines.emplace_back().Add(overview.threshold_notice, Ink::kFaint);
  }
  for (const std::string& pod : overview.not_guarded) {
    lines.emplace_back().Add("not guarded: ", Ink::kBad).Add(pod);
  }
}

void AddConditions(const Overview& overview, Lines& lines) {
  if (overview.conditions.empty()) return;
  lines.emplace_back();
  lines.emplace_back()
      .Add("CONDITION", Ink::kFaint)
      .To(31)
      .Add("STATUS", Ink::kFaint)
      .To(39)
      .Add("FOR", Ink::kFaint)
      .To(48)
      .Add("REASON", Ink::kFaint);
  for (const OverviewCondition& condition : overview.conditions) {
    const Ink ink = condition.status ? Ink::kBadStrong : Ink::kPlain;
    lines.emplace_back()
        .Add(condition.type, ink)
        .To(31)
        .Add(condition.status ? "True" : "False", ink)
        .To(39)
        .Add(SpanText(Elapsed(condition.since, overview.at)))
        .To(48)
        .Add(condition.reason, ink);
  }
  for (const OverviewTaint& taint : overview.taints) {
    lines.emplace_back().Add(fmt::format("taint {}:{}", taint.key, taint.effect), Ink::kBad);
  }
}

void AddThreshold(const OverviewThreshold& threshold, Instant now, TextLine& line) {
  line.To(68).Add(fmt::format("{} {}", threshold.hard ? "hard" : "soft", threshold.value));
  line.To(81).Add(ThresholdStateText(threshold, now), threshold.met       ? Ink::kBadStrong
                                                      : threshold.time_to ? Ink::kWarning
                                                                          : Ink::kFaint);
}

void AddSignals(const Overview& overview, Lines& lines) {
  lines.emplace_back();
  if (overview.signals.empty()) {
    lines.emplace_back().Add("No thresholds are set: no pod is evicted for node pressure.");
    return;
  }
  lines.emplace_back()
      .Add("SIGNAL", Ink::kFaint)
      .RightTo(40, "AVAILABLE", Ink::kFaint)
      .RightTo(52, "CAPACITY", Ink::kFaint)
      .RightTo(66, "TREND", Ink::kFaint)
      .To(68)
      .Add("THRESHOLD", Ink::kFaint)
      .To(81)
      .Add("REACHED", Ink::kFaint);
  for (const OverviewSignal& signal : overview.signals) {
    const bool met = std::ranges::any_of(signal.thresholds, &OverviewThreshold::met);
    TextLine* line = &lines.emplace_back();
    line->Add(NameOf(signal.signal), met ? Ink::kBadStrong : Ink::kPlain);
    line->RightTo(40, AmountText(signal.signal, signal.available), met ? Ink::kBad : Ink::kPlain);
    line->RightTo(52, AmountText(signal.signal, signal.capacity));
    line->RightTo(66, TrendText(signal.signal, signal.trend_per_second));
    for (const OverviewThreshold& threshold : signal.thresholds) {
      if (line == nullptr) line = &lines.emplace_back();
      AddThreshold(threshold, overview.at, *line);
      line = nullptr;
    }
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
  Lines lines;
  AddHead(overview, lines);
  AddHints(overview, lines);
  AddConditions(overview, lines);
  AddSignals(overview, lines);
  AddPods(overview, lines);
  AddEvictions(overview, width, style, lines);
  std::string text;
  for (const TextLine& line : lines) text += line.Render(line.width(), style) + "\n";
  return text;
}

}  // namespace jettison
