#include "cli/demo/demo_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/demo/demo_pod_table.h"
#include "cli/demo/demo_script.h"
#include "cli/terminal/amount_text.h"
#include "cli/terminal/bar.h"
#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

constexpr std::size_t kMargin = 2;
constexpr std::size_t kBarFrom = 20;
constexpr std::size_t kNumbers = 29;        // columns right of the bar
constexpr std::size_t kRoomyRows = 30;      // from here on there is room for blank lines
constexpr std::size_t kFewestColumns = 60;  // narrower terminals see less of each line
constexpr std::size_t kMostColumns = 140;

std::string_view LessonOf(std::size_t act) {
  if (act == 0) return "Four pods behave. The other four will not.";
  if (act > DemoActs().size()) {
    return "Back-off over and no pressure left: the evicted pods come back.";
  }
  return DemoActs()[act - 1].lesson;
}

std::string_view CulpritOf(std::size_t act) {
  return act == 0 || act > DemoActs().size() ? "" : DemoActs()[act - 1].pod;
}

Signal RankedFor(std::size_t act) {
  if (act == 0 || act > DemoActs().size()) return Signal::kMemoryAvailable;
  return DemoActs()[act - 1].signal;
}

TextLine Title(const ScreenContent& content, std::size_t columns) {
  TextLine line;
  line.To(kMargin).Add("jettison demo", Ink::kStrong).Add("  ").Add(ActText(content.act));
  return line.RightTo(columns - kMargin, SecondsText(content.snapshot.at - content.started),
                      Ink::kFaint);
}

TextLine SignalHeader(std::size_t columns) {
  TextLine line;
  line.To(kMargin).Add("SIGNAL", Ink::kFaint).To(kBarFrom).Add("USED", Ink::kFaint);
  line.RightTo(columns - 16, "AVAILABLE", Ink::kFaint);
  return line.RightTo(columns - kMargin, "EVICTS BELOW", Ink::kFaint);
}

TextLine SignalLine(const ThresholdView& view, const DemoPeaks& peaks, std::size_t columns,
                    TextStyle style) {
  const Signal signal = view.threshold.signal;
  const auto& seen = view.observation;
  TextLine line;
  line.To(kMargin).Add(NameOf(signal), view.met ? Ink::kBadStrong : Ink::kPlain).To(kBarFrom);
  std::optional<std::int64_t> available;
  std::optional<std::int64_t> least;
  if (seen) {
    available = seen->available;
    least = QuantityOf(view.threshold.value, seen->capacity).Value();
  }
  AddBar(line,
         {.available = available,
          .capacity = seen ? seen->capacity : 0,
          .threshold = least.value_or(0),
          .lowest = peaks.Lowest(signal),
          .met = view.met},
         columns > kBarFrom + kNumbers ? columns - kBarFrom - kNumbers : 4, style);
  line.RightTo(columns - 16, AmountText(signal, available), view.met ? Ink::kBad : Ink::kPlain);
  return line.RightTo(columns - kMargin, AmountText(signal, least));
}

TextLine ConditionsLine(NodeConditions conditions, TextStyle style) {
  TextLine line;
  line.To(kMargin).Add("CONDITIONS", Ink::kFaint).To(kBarFrom);
  for (const NodeConditionType type :
       {NodeConditionType::kMemoryPressure, NodeConditionType::kDiskPressure,
        NodeConditionType::kPidPressure}) {
    const bool set = conditions.Has(type);
    const std::string_view mark = style.unicode ? (set ? "●" : "○") : (set ? "[x]" : "[ ]");
    line.Add(mark, set ? Ink::kBadStrong : Ink::kFaint).Add(" ");
    line.Add(NameOf(type), set ? Ink::kBadStrong : Ink::kFaint).Add("   ");
  }
  return line;
}

// Everything above the pods.
std::vector<TextLine> NodeLines(const ScreenContent& content, ScreenSize size, TextStyle style) {
  const bool roomy = size.rows >= kRoomyRows;
  std::vector<TextLine> lines = {Title(content, size.columns)};
  for (const std::string& text :
       Wrap(LessonOf(content.act), size.columns - 2 * kMargin, roomy ? 2 : 1, style)) {
    lines.emplace_back().To(kMargin).Add(text, Ink::kFaint);
  }
  if (roomy) lines.emplace_back();
  lines.push_back(SignalHeader(size.columns));
  for (const ThresholdView* view : ShownThresholds(content.snapshot)) {
    lines.push_back(SignalLine(*view, content.peaks, size.columns, style));
  }
  if (roomy) lines.emplace_back();
  lines.push_back(ConditionsLine(content.snapshot.conditions, style));
  return lines;
}

TextLine OrderLine(const ScreenContent& content) {
  TextLine line;
  return line.To(kMargin).Add(fmt::format("PODS in the order of eviction for {} (critical: never)",
                                          NameOf(ResourceOf(RankedFor(content.act)))),
                              Ink::kFaint);
}

// The newest events that fit, oldest of them first, each on at most `most` lines.
std::vector<TextLine> EventLines(const ScreenContent& content, ScreenSize size, std::size_t most,
                                 TextStyle style) {
  constexpr std::size_t kText = 10;
  std::vector<TextLine> lines;
  const auto& events = content.snapshot.events;
  for (auto event = events.rbegin(); event != events.rend() && lines.size() < size.rows; ++event) {
    const std::string who =
        event->pod.empty() ? "node" : event->pod.substr(event->pod.find('/') + 1);
    const Ink ink = event->event.type == EventType::kWarning ? Ink::kBad : Ink::kPlain;
    const auto texts =
        Wrap(fmt::format("{} {}: {}", event->event.reason, who, event->event.message),
             size.columns - kText - kMargin, std::min(most, size.rows - lines.size()), style);
    for (std::size_t i = texts.size(); i-- > 0;) {
      TextLine line;
      if (i == 0) line.RightTo(kText - 2, SecondsText(event->at - content.started), Ink::kFaint);
      lines.insert(lines.begin(), line.To(kText).Add(texts[i], ink));
    }
  }
  return lines;
}

}  // namespace

std::string ActText(std::size_t act) {
  if (act == 0) return "the pods start";
  if (act > DemoActs().size()) return "calm returns";
  return fmt::format("act {} of {}: {}", act, DemoActs().size(), DemoActs()[act - 1].title);
}

std::vector<const ThresholdView*> ShownThresholds(const Snapshot& snapshot) {
  std::vector<const ThresholdView*> shown;
  for (const Signal signal :
       {Signal::kMemoryAvailable, Signal::kNodeFsAvailable, Signal::kPidAvailable}) {
    for (const ThresholdView& view : snapshot.thresholds) {
      if (view.threshold.signal == signal) shown.push_back(&view);
    }
  }
  return shown;
}

std::vector<std::string> ComposeScreen(const ScreenContent& content, ScreenSize size,
                                       TextStyle style) {
  const ScreenSize layout = {.columns = std::clamp(size.columns, kFewestColumns, kMostColumns),
                             .rows = size.rows > 1 ? size.rows - 1 : 1};
  const bool roomy = layout.rows >= kRoomyRows;
  std::vector<TextLine> lines = NodeLines(content, layout, style);
  lines.emplace_back();
  lines.push_back(OrderLine(content));
  auto pods = PodTable(
      content.snapshot, content.facts,
      {.signal = RankedFor(content.act), .marked = CulpritOf(content.act), .style = style});
  std::move(pods.begin(), pods.end(), std::back_inserter(lines));
  lines.emplace_back();
  if (lines.size() < layout.rows) {
    const ScreenSize left = {.columns = layout.columns, .rows = layout.rows - lines.size()};
    auto events = EventLines(content, left, roomy ? 3 : 1, style);
    std::move(events.begin(), events.end(), std::back_inserter(lines));
  }
  lines.resize(std::min(lines.size(), layout.rows));
  std::vector<std::string> rendered;
  for (const TextLine& line : lines) {
    rendered.push_back(line.Render(std::min(size.columns, layout.columns), style));
  }
  return rendered;
}

}  // namespace jettison
