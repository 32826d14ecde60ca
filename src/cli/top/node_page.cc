#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/text_line.h"
#include "cli/top/top.h"
#include "core/model/eviction.h"

namespace jettison {
namespace {

constexpr long kBarColumns = 24;
constexpr std::size_t kBeforeThreshold = 5;  // columns of the table of signals

bool IsBeingEvicted(const OverviewPod& pod) {
  return pod.reason == "Evicted" &&
         (pod.activity == "terminating" || pod.activity == "cleaning up");
}

using Lines = std::vector<TextLine>;

// The position of the threshold on a bar, as a share of its length. It is the same for every
// signal, so that the thresholds on a screen form one line.
constexpr double kThresholdAt = 0.75;
constexpr double kNearly = 0.8;  // of the way to the threshold: time to look

// How full a bar is when so much is available, as a share of its length: what is used in relation
// to what may be used before the threshold is crossed. Within [0, 1].
double BarShare(const OverviewSignal& signal, std::int64_t threshold, std::int64_t available) {
  const auto capacity = static_cast<double>(signal.capacity.value_or(0));
  const double before = capacity - static_cast<double>(threshold);
  if (before <= 0) return 1;
  return std::clamp((capacity - static_cast<double>(available)) / before * kThresholdAt, 0.0, 1.0);
}

// What is used of one signal, with a mark for its threshold, and another one for a threshold that
// is met before.
TextLine Bar(const OverviewSignal& signal) {
  // One column of a bar, by how many eighths of it are filled.
  constexpr std::array<std::string_view, 9> kBlocks = {"·", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const auto column_of = [](double share) { return std::lround(kBarColumns * share); };
  const std::int64_t threshold =
      signal.thresholds.empty() ? 0 : signal.thresholds.front().amount.value_or(0);
  const double share = signal.available ? BarShare(signal, threshold, *signal.available) : 0;
  long earlier = kBarColumns;
  bool met = false;
  for (const OverviewThreshold& other : signal.thresholds) {
    met = met || other.met;
    if (other.amount > threshold) earlier = column_of(BarShare(signal, threshold, *other.amount));
  }
  const Ink ink = met ? Ink::kBad : share >= kNearly * kThresholdAt ? Ink::kWarning : Ink::kGood;
  const long filled = std::lround(share * kBarColumns * 8);
  TextLine bar;
  for (long i = 0; i < kBarColumns; ++i) {
    const long eighths = std::clamp(filled - i * 8, 0L, 8L);
    if (i == column_of(kThresholdAt)) {
      bar.Add("┃", Ink::kStrong);
    } else if (i == earlier) {
      bar.Add("╎", Ink::kStrong);
    } else {
      bar.Add(kBlocks[static_cast<std::size_t>(eighths)], eighths == 0 ? Ink::kFaint : ink);
    }
  }
  return bar;
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

// The conditions that are true, "MemoryPressure for 3.0 s, DiskPressure for 2 min"; empty: none is.
std::string PressureText(const Overview& overview) {
  std::string text;
  for (const OverviewCondition& condition : overview.conditions) {
    if (!condition.status) continue;
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", condition.type,
                        SpanText(Elapsed(condition.since, overview.at)));
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
        bars ? Bar(signal) : TextLine(),
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

constexpr std::size_t kFewestColumns = 60;  // narrower terminals see less of each line
constexpr std::size_t kMostColumns = 200;
constexpr std::size_t kWhole = 4096;  // of a page that is not one of a terminal

bool IsWell(const OverviewPod& pod) {
  return pod.activity == "finished" || (pod.activity == "running" && pod.waiting_reason.empty());
}

std::string StateText(const OverviewPod& pod) {
  if (IsBeingEvicted(pod)) return "evicted";
  if (!pod.waiting_reason.empty()) return pod.activity;
  if (!pod.refused_for.empty()) return "refused";
  return pod.activity == "running" && pod.evictions > 0 ? "running again" : pod.activity;
}

Ink StateInk(const OverviewPod& pod) {
  if (IsBeingEvicted(pod)) return Ink::kBadStrong;
  if (IsWell(pod)) return Ink::kGood;
  return pod.evictions > 0 ? Ink::kBad : Ink::kWarning;
}

// Why it is never evicted, what it waits for, when it comes back, or what decided between it and
// the next one.
std::string WhyText(const OverviewPod& pod, Instant now) {
  if (!pod.protection.empty() && pod.protection != NameOf(Protection::kNone)) {
    return pod.protection + ": never";
  }
  if (!pod.waiting_reason.empty()) {
    return pod.waiting_reason + (pod.waiting_message.empty() ? "" : ": " + pod.waiting_message);
  }
  if (!pod.refused_for.empty()) {
    return pod.refused_for +
           (pod.refused_until ? " until " + ClockText(*pod.refused_until) + " or later" : "");
  }
  if (pod.comes_back_after.empty()) return pod.why;
  if (!pod.comes_back_at) return "back after " + pod.comes_back_after;
  return fmt::format("back in {}: {}", SpanText(Elapsed(now, *pod.comes_back_at)),
                     pod.comes_back_after);
}

std::vector<TextLine> PodRow(const OverviewPod& pod, const Overview& overview,
                             bool with_namespace) {
  const bool alive = pod.activity == "running" || pod.activity == "starting";
  const Ink ink = alive ? Ink::kPlain : Ink::kFaint;
  return {
      TextLine(pod.place ? fmt::format("{:3}", *pod.place) : "", ink),
      TextLine(with_namespace ? pod.namespace_ + "/" + pod.name : pod.name,
               alive ? Ink::kStrong : ink),
      TextLine(pod.qos, ink),
      TextLine(fmt::format("{}", pod.priority), ink),
      TextLine(BytesText(pod.memory_bytes), ink),
      TextLine(pod.request_bytes == 0 ? "none" : BytesText(pod.request_bytes), ink),
      TextLine(BytesText(pod.ephemeral_bytes), ink),
      TextLine(pod.processes ? fmt::format("{}", *pod.processes) : "-", ink),
      TextLine(AmountText(overview.ranked_for, pod.excess), pod.over_request ? Ink::kWarning : ink),
      TextLine(StateText(pod), StateInk(pod)),
      TextLine(WhyText(pod, overview.at), Ink::kFaint),
  };
}

// A title, a header and a line for each of the first pods. Those that are on their way have up to
// half of the lines, wherever they stand in the order.
Lines PodLines(const Overview& overview, std::size_t most, std::size_t columns) {
  if (overview.pods.empty()) return {TextLine("No pods.", Ink::kFaint)};
  const bool several_namespaces = std::ranges::any_of(overview.pods, [&](const OverviewPod& pod) {
    return pod.namespace_ != overview.pods.front().namespace_;
  });
  const auto under_way =
      static_cast<std::size_t>(std::ranges::count_if(overview.pods, std::not_fn(&IsWell)));
  std::size_t spare = most - std::min(under_way, most / 2);  // for those that are well
  std::vector<std::vector<TextLine>> rows;
  for (const OverviewPod& pod : overview.pods) {
    if (rows.size() == most || (IsWell(pod) && spare == 0)) continue;
    if (IsWell(pod)) --spare;
    rows.push_back(PodRow(pod, overview, several_namespaces));
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
                            {.header = "WHY", .dispensable = 1, .most = columns / 3}},
                           std::move(rows), columns);
  lines.insert(lines.begin(), std::move(title));
  return lines;
}

// A header and a line for each of the last events that are warnings or about the node. Evictions
// have up to half of the lines, however many events followed them.
Lines EventLines(const Overview& overview, std::size_t most) {
  const auto is_eviction = [](const OverviewEvent& event) {
    return event.reason == "Evicted" && event.refused_for.empty();
  };
  Lines lines;
  std::size_t evictions = std::min<std::size_t>(
      static_cast<std::size_t>(std::ranges::count_if(overview.events, is_eviction)), most / 2);
  for (auto at = overview.events.rbegin(); at != overview.events.rend(); ++at) {
    if (lines.size() == most) break;
    if (at->type != "Warning" && at->object != "node") continue;
    if (is_eviction(*at)) {
      evictions -= std::min<std::size_t>(evictions, 1);
    } else if (lines.size() + evictions >= most) {
      continue;
    }
    TextLine line(fmt::format("{:>7} ago", SpanText(Elapsed(at->at, overview.at))), Ink::kFaint);
    // The reason of a pod that was not let in is an eviction's.
    line.Add(fmt::format("  {} {}: {}", at->refused_for.empty() ? at->reason : "Refused",
                         at->object, at->message),
             at->type == "Warning" ? Ink::kBad : Ink::kPlain);
    if (at->count > 1) line.Add(fmt::format(" ({} times)", at->count), Ink::kFaint);
    lines.push_back(std::move(line));
  }
  if (!lines.empty()) lines.emplace_back("LAST EVENTS", Ink::kFaint);
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace

std::vector<std::string> NodePage(std::vector<TextLine> title, const Overview& overview,
                                  const PageLayout& layout) {
  constexpr std::size_t kPodHeaders = 2;
  constexpr std::size_t kMostPods = 10;
  constexpr std::size_t kMostEvents = 8;
  const std::size_t columns = std::clamp(layout.columns, kFewestColumns, kMostColumns);
  Lines lines = std::move(title);
  const auto put = [&lines](Lines more) {
    if (!lines.empty() && !more.empty()) lines.emplace_back();
    std::ranges::move(more, std::back_inserter(lines));
  };
  std::ranges::move(HeadLines(overview), std::back_inserter(lines));
  put(SignalLines(overview, layout.rows.has_value(), columns));
  std::size_t pods = kMostPods;
  std::size_t events = kMostEvents;
  if (layout.rows) {
    const std::size_t used = lines.size() + kPodHeaders + 3;
    pods = *layout.rows > used ? *layout.rows - used : 0;
    events = std::min(events, pods / 3);
  }
  Lines last = EventLines(overview, events);
  if (layout.rows) pods -= std::min(pods, last.size());
  put(PodLines(overview, pods, layout.rows ? columns : kWhole));
  put(std::move(last));
  if (layout.rows && lines.size() >= *layout.rows) {
    lines.resize(*layout.rows - std::min<std::size_t>(*layout.rows, 1));
  }
  std::vector<std::string> rendered;
  for (const TextLine& line : lines) {
    const std::size_t most = layout.rows ? std::min(layout.columns, columns) : line.width();
    rendered.push_back(line.Render(most, layout.colored));
  }
  return rendered;
}

}  // namespace jettison
