#include "cli/demo/demo_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "api/overview/overview.h"
#include "cli/demo/demo_script.h"
#include "cli/terminal/amount_text.h"
#include "cli/top/top_pods.h"
#include "cli/top/top_signals.h"

namespace jettison {
namespace {

constexpr std::size_t kMargin = 2;
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
  line.Add("jettison demo", Ink::kStrong).Add("  ").Add(ActText(content.act));
  return line.RightTo(columns, SecondsText(content.snapshot.at - content.started), Ink::kFaint);
}

TextLine ConditionsLine(NodeConditions conditions, TextStyle style) {
  TextLine line;
  line.Add("CONDITIONS", Ink::kFaint).Add("  ");
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

void Append(std::vector<TextLine> more, std::vector<TextLine>& lines) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

// Everything above the pods.
std::vector<TextLine> NodeLines(const ScreenContent& content, const Overview& overview,
                                ScreenSize size, TextStyle style) {
  const bool roomy = size.rows >= kRoomyRows;
  std::vector<TextLine> lines = {Title(content, size.columns)};
  for (const std::string& text : Wrap(LessonOf(content.act), size.columns, roomy ? 2 : 1, style)) {
    lines.emplace_back().Add(text, Ink::kFaint);
  }
  if (roomy) lines.emplace_back();
  Append(
      SignalLines(overview, overview.signals.size(), size.columns, style, content.peaks.lowest()),
      lines);
  if (roomy) lines.emplace_back();
  lines.push_back(ConditionsLine(content.snapshot.conditions, style));
  return lines;
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
  const Overview overview =
      OverviewOf(content.snapshot, {.version = {}, .ranked_for = RankedFor(content.act)});
  std::vector<TextLine> lines = NodeLines(content, overview, layout, style);
  lines.emplace_back();
  Append(PodLines(overview, {.count = overview.pods.size(), .marked = CulpritOf(content.act)},
                  layout.columns, style),
         lines);
  lines.emplace_back();
  if (lines.size() < layout.rows) {
    const ScreenSize left = {.columns = layout.columns, .rows = layout.rows - lines.size()};
    Append(EventLines(content, left, roomy ? 3 : 1, style), lines);
  }
  lines.resize(std::min(lines.size(), layout.rows));
  std::vector<std::string> rendered;
  for (const TextLine& line : lines) {
    rendered.push_back(line.Render(std::min(size.columns, layout.columns), style));
  }
  return rendered;
}

}  // namespace jettison
