#include "cli/top/top_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "cli/terminal/amount_text.h"
#include "cli/top/overview_text.h"

namespace jettison {
namespace {

// What is written in a column.
struct Cell {
  std::string text;
  Ink ink = Ink::kPlain;
};

struct Column {
  std::string_view header;
  std::size_t width = 0;
  bool right = false;
  // The higher one goes first where there is no room; 0 stays.
  int dispensable = 0;
  std::function<Cell(const OverviewPod&)> cell;
};

Ink InkOf(const OverviewPod& pod) {
  return pod.activity == "running" || pod.activity == "starting" ? Ink::kPlain : Ink::kFaint;
}

Column Figure(std::string_view header, std::size_t width, int dispensable,
              std::function<std::string(const OverviewPod&)> text) {
  return {.header = header,
          .width = width,
          .right = true,
          .dispensable = dispensable,
          .cell = [text = std::move(text)](const OverviewPod& pod) -> Cell {
            return {text(pod), InkOf(pod)};
          }};
}

Cell OverCell(const OverviewPod& pod, Signal signal) {
  if (!pod.excess) return {"-", Ink::kFaint};
  return {AmountText(signal, pod.excess), pod.over_request ? Ink::kWarning : Ink::kPlain};
}

std::size_t NameWidth(const Overview& overview, bool with_namespace, std::size_t columns) {
  std::size_t longest = 4;
  for (const OverviewPod& pod : overview.pods) {
    longest = std::max(longest, PodNameText(pod, with_namespace).size());
  }
  return std::min(longest, std::max<std::size_t>(columns / 4, 12));
}

std::size_t PriorityWidth(const Overview& overview) {
  std::size_t longest = 4;
  for (const OverviewPod& pod : overview.pods) {
    longest = std::max(longest, fmt::formatted_size("{}", pod.priority));
  }
  return longest;
}

std::vector<Column> AllColumns(const Overview& overview, std::size_t columns) {
  const bool with_namespace = SeveralNamespaces(overview.pods);
  const Signal signal = overview.ranked_for;
  const Instant now = overview.at;
  return {
      Figure("#", 4, 0,
             [](const OverviewPod& pod) {
               return pod.place ? fmt::format("{}", *pod.place) : std::string();
             }),
      {.header = "POD",
       .width = NameWidth(overview, with_namespace, columns),
       .cell = [with_namespace](const OverviewPod& pod) -> Cell {
         return {PodNameText(pod, with_namespace),
                 pod.activity == "running" ? Ink::kStrong : Ink::kFaint};
       }},
      {.header = "QOS",
       .width = 10,
       .dispensable = 3,
       .cell = [](const OverviewPod& pod) -> Cell {
         return {pod.qos, InkOf(pod)};
       }},
      Figure("PRIO", PriorityWidth(overview), 0,
             [](const OverviewPod& pod) { return fmt::format("{}", pod.priority); }),
      Figure("MEMORY", 9, 0, [](const OverviewPod& pod) { return BytesText(pod.memory_bytes); }),
      Figure("REQUEST", 9, 2,
             [](const OverviewPod& pod) {
               return pod.request_bytes == 0 ? std::string("none") : BytesText(pod.request_bytes);
             }),
      Figure("DISK", 9, 5, [](const OverviewPod& pod) { return BytesText(pod.ephemeral_bytes); }),
      Figure("PROCS", 6, 4,
             [](const OverviewPod& pod) {
               return pod.processes ? fmt::format("{}", *pod.processes) : std::string("-");
             }),
      {.header = "OVER",
       .width = 9,
       .right = true,
       .cell = [signal](const OverviewPod& pod) { return OverCell(pod, signal); }},
      {.header = "STATE",
       .width = 13,
       .cell = [now](const OverviewPod& pod) -> Cell {
         if (!pod.waiting_reason.empty()) return {pod.activity, PodStateInk(pod)};
         return {pod.refused_for.empty() ? PodStateText(pod, now) : "refused", PodStateInk(pod)};
       }},
      {.header = "WHY", .width = 19, .dispensable = 1, .cell = [](const OverviewPod& pod) -> Cell {
         if (!pod.protection.empty() && pod.protection != NameOf(Protection::kNone)) {
           return {pod.protection + ": never", Ink::kFaint};
         }
         if (!pod.waiting_reason.empty()) return {pod.waiting_reason, Ink::kWarning};
         return {pod.refused_for.empty() ? pod.why : pod.refused_for, Ink::kFaint};
       }}};
}

std::size_t WidthOfAll(const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& column : columns) width += column.width + 1;
  return width - 1;
}

// Those that there is room for.
std::vector<Column> FittingColumns(const Overview& overview, std::size_t columns) {
  std::vector<Column> fitting = AllColumns(overview, columns);
  while (WidthOfAll(fitting) > columns) {
    const auto first = std::ranges::max_element(fitting, {}, &Column::dispensable);
    if (first->dispensable == 0) break;
    fitting.erase(first);
  }
  return fitting;
}

std::string Shortened(const std::string& text, std::size_t width, TextStyle style) {
  TextLine line;
  return line.Add(text).Render(width, {.color = false, .unicode = style.unicode});
}

template <typename CellOf>
void AddRow(const std::vector<Column>& columns, TextStyle style, CellOf cell_of, TextLine& line) {
  std::size_t at = 0;
  for (const Column& column : columns) {
    const Cell cell = cell_of(column);
    const std::string text = Shortened(cell.text, column.width, style);
    if (column.right) {
      line.RightTo(at + column.width, text, cell.ink);
    } else if (!text.empty()) {
      line.To(at).Add(text, cell.ink);
    }
    at += column.width + 1;
  }
}

TextLine PodsTitle(const Overview& overview, std::size_t count) {
  TextLine line;
  if (overview.pods.empty()) return line.Add("No pods.", Ink::kFaint);
  line.Add(fmt::format("PODS {} of {} in the order of eviction for ", count, overview.pods.size()),
           Ink::kFaint);
  line.Add(NameOf(overview.ranked_for), Ink::kStrong);
  if (overview.ranked_for == overview.nearest) line.Add(" (nearest)", Ink::kFaint);
  return line;
}

}  // namespace

std::vector<TextLine> PodLines(const Overview& overview, ShownPods shown, std::size_t columns,
                               TextStyle style) {
  const std::size_t count = std::min(overview.pods.size(), shown.count);
  const std::vector<Column> fitting = FittingColumns(overview, columns);
  std::vector<TextLine> lines = {PodsTitle(overview, count)};
  AddRow(
      fitting, style,
      [](const Column& column) -> Cell {
        return {std::string(column.header), Ink::kFaint};
      },
      lines.emplace_back());
  for (std::size_t i = 0; i < count; ++i) {
    const OverviewPod& pod = overview.pods[i];
    TextLine& line = lines.emplace_back();
    if (pod.name == shown.marked) line.Add(style.unicode ? "▶" : ">", Ink::kBadStrong);
    AddRow(
        fitting, style, [&pod](const Column& column) { return column.cell(pod); }, line);
  }
  return lines;
}

}  // namespace jettison
