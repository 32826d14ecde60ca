#include "cli/demo/demo_expectations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "cli/demo/demo_pods.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr std::size_t kDetailIndent = 6;
constexpr std::size_t kMostDetailLines = 2;

double SecondsIn(const DemoHistory& history, Instant at) {
  return std::chrono::duration<double>(at - history.first.value_or(at)).count();
}

Expectation EvictedInOrder(const DemoHistory& history) {
  std::vector<std::string> evicted;
  std::vector<std::string> culprits;
  for (const auto& eviction : history.evictions) evicted.push_back(eviction.pod);
  for (const DemoAct& act : DemoActs()) culprits.emplace_back(act.pod);
  const bool held = evicted == culprits;
  return {
      fmt::format("{} were evicted, in this order, and no other pod", fmt::join(culprits, ", ")),
      held, held ? "" : fmt::format("in fact: {}", fmt::join(evicted, ", "))};
}

Expectation EvictedFor(const DemoAct& act, const DemoHistory& history) {
  const auto* eviction = history.EvictionOf(act.pod);
  if (eviction == nullptr) return {std::string(act.promise), false, "it was not evicted"};
  return {std::string(act.promise), eviction->message.starts_with(act.message),
          fmt::format("after {:.1f} s: {}", SecondsIn(history, eviction->at), eviction->message)};
}

Expectation LeakerExceededByMost(const DemoHistory& history) {
  Expectation expectation{"leaker exceeded its memory request by more than cache did its own",
                          false, "leaker was not evicted first"};
  if (history.evictions.empty() || history.evictions.front().pod != "leaker") return expectation;
  const auto leaker = history.excess.find("leaker");
  const auto cache = history.excess.find("cache");
  expectation.detail = "their working sets were not measured";
  if (leaker == history.excess.end() || cache == history.excess.end()) return expectation;
  expectation.held = leaker->second > cache->second && cache->second > 0;
  expectation.detail =
      fmt::format("by {:.0f} MiB and {:.0f} MiB", leaker->second / kMiB, cache->second / kMiB);
  return expectation;
}

Expectation Untouched(const DemoPod& innocent, const DemoHistory& history) {
  Expectation expectation{fmt::format("{} was never touched ({})", innocent.name, innocent.role),
                          false, "it never ran"};
  const auto found = history.pods.find(innocent.name);
  if (found == history.pods.end()) return expectation;
  const auto& pod = found->second;
  expectation.held = pod.runs && pod.evictions == 0 && pod.restarts == 0;
  expectation.detail =
      expectation.held
          ? ""
          : fmt::format("evicted {} times, restarted {} times, {} at the end", pod.evictions,
                        pod.restarts, pod.runs ? "running" : "not running");
  return expectation;
}

Expectation SetAndCleared(NodeConditionType type, const DemoHistory& history) {
  std::optional<Instant> set;
  std::optional<Instant> cleared;
  for (const auto& change : history.conditions) {
    if (change.type != type) continue;
    std::optional<Instant>& first = change.pressure ? set : cleared;
    if (!first) first = change.at;
  }
  std::string detail = set ? "it was never cleared" : "it was never set";
  if (set && cleared) {
    detail = fmt::format("after {:.1f} s and {:.1f} s", SecondsIn(history, *set),
                         SecondsIn(history, *cleared));
  }
  return {fmt::format("{} was set and cleared", NameOf(type)), set && cleared && *set < *cleared,
          std::move(detail)};
}

// scratch goes for a limit of its own: between the pressure that is set before and after, nothing
// may begin.
Expectation LimitWithoutPressure(const DemoHistory& history) {
  const auto settings =
      std::ranges::count_if(history.conditions, [](const auto& change) { return change.pressure; });
  constexpr std::ptrdiff_t kPressures = 3;  // memory, disk, process ids
  const bool held = settings == kPressures;
  return {"each pressure began once, and none was caused by scratch", held,
          held ? "" : fmt::format("pressure began {} times", settings)};
}

Expectation CameBack(const DemoHistory& history) {
  bool held = true;
  std::vector<std::string> told;
  for (const DemoAct& act : DemoActs()) {
    const auto* back = history.ReturnOf(act.pod);
    held = held && back != nullptr && !back->under_pressure;
    told.push_back(back == nullptr
                       ? fmt::format("{} did not come back", act.pod)
                       : fmt::format("{} after {:.1f} s{}", act.pod, SecondsIn(history, back->at),
                                     back->under_pressure ? " under pressure" : ""));
  }
  return {"every evicted pod came back, and none while the node was under pressure", held,
          fmt::format("{}", fmt::join(told, ", "))};
}

Expectation NoOomKill(const DemoHistory& history) {
  const bool killed =
      std::ranges::any_of(history.pods, [](const auto& pod) { return pod.second.oom_killed; });
  Expectation expectation{"the kernel's OOM killer had nothing to do",
                          !killed && history.lowest_memory_available.value_or(0) > 0,
                          killed ? "it killed a container" : "memory was never measured"};
  if (!killed && history.lowest_memory_available) {
    expectation.detail = fmt::format("{:.0f} MiB were available at the least",
                                     static_cast<double>(*history.lowest_memory_available) / kMiB);
  }
  return expectation;
}

// Puts the detail behind what it belongs to where there is room, otherwise below.
void AddDetail(const std::string& detail, std::size_t columns, TextStyle style, TextLine& line,
               std::vector<std::string>& lines) {
  const bool beside = !detail.empty() && line.width() + 2 + WidthOf(detail) <= columns;
  if (beside) line.Add(", ", Ink::kFaint).Add(detail, Ink::kFaint);
  lines.push_back(line.Render(columns, style));
  if (beside) return;
  for (const std::string& text : Wrap(detail, columns - kDetailIndent, kMostDetailLines, style)) {
    lines.push_back(TextLine().To(kDetailIndent).Add(text, Ink::kFaint).Render(columns, style));
  }
}

}  // namespace

std::vector<Expectation> CheckDemo(const DemoHistory& history) {
  std::vector<Expectation> checked = {EvictedInOrder(history)};
  for (const DemoAct& act : DemoActs()) checked.push_back(EvictedFor(act, history));
  checked.push_back(LeakerExceededByMost(history));
  for (const DemoPod& pod : DemoPods()) {
    if (!pod.culprit) checked.push_back(Untouched(pod, history));
  }
  for (const NodeConditionType type :
       {NodeConditionType::kMemoryPressure, NodeConditionType::kDiskPressure,
        NodeConditionType::kPidPressure}) {
    checked.push_back(SetAndCleared(type, history));
  }
  checked.push_back(LimitWithoutPressure(history));
  checked.push_back(CameBack(history));
  checked.push_back(NoOomKill(history));
  return checked;
}

bool AllHeld(const std::vector<Expectation>& expectations) {
  return std::ranges::all_of(expectations, &Expectation::held);
}

std::string ChecklistText(const DemoHistory& history, std::size_t columns, TextStyle style) {
  const std::vector<Expectation> expectations = CheckDemo(history);
  std::vector<std::string> lines;
  for (const Expectation& expectation : expectations) {
    const std::string_view mark =
        style.unicode ? (expectation.held ? "✓" : "✗") : (expectation.held ? "ok" : "NO");
    TextLine line;
    line.To(1).Add(mark, expectation.held ? Ink::kGood : Ink::kBadStrong);
    line.To(kDetailIndent - 1)
        .Add(expectation.what, expectation.held ? Ink::kPlain : Ink::kBadStrong);
    AddDetail(expectation.detail, columns, style, line, lines);
  }
  const auto held = std::ranges::count_if(expectations, &Expectation::held);
  const std::string sum = fmt::format(" {} of {} expectations held, in {:.1f} s.", held,
                                      expectations.size(), SecondsIn(history, history.last));
  lines.emplace_back();
  lines.push_back(
      TextLine(sum, AllHeld(expectations) ? Ink::kGood : Ink::kBadStrong).Render(columns, style));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string ChecklistJson(const DemoHistory& history) {
  const std::vector<Expectation> expectations = CheckDemo(history);
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Field("passed", AllHeld(expectations));
    json.Field("seconds", static_cast<std::int64_t>(SecondsIn(history, history.last)));
    json.Array("expectations", [&] {
      for (const Expectation& expectation : expectations) {
        json.Object([&] {
          json.Field("what", expectation.what);
          json.Field("held", expectation.held);
          json.Field("detail", expectation.detail);
        });
      }
    });
  });
  return text;
}

}  // namespace jettison
