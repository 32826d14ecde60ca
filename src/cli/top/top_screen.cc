#include "cli/top/top_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "cli/terminal/amount_text.h"
#include "cli/top/overview_text.h"
#include "cli/top/top_pods.h"
#include "cli/top/top_signals.h"

namespace jettison {
namespace {

constexpr std::size_t kFewestColumns = 60;  // narrower terminals see less of each line
constexpr std::size_t kMostColumns = 200;

// How the rows of a screen are given out.
struct Rows {
  std::size_t signals = 0;  // without their header
  std::size_t pods = 0;     // without their two
  std::size_t events = 0;
};

Rows RowsOf(const Overview& overview, ScreenSize size) {
  constexpr std::size_t kFixed = 2 + 1 + 2 + 1;  // title, signals' header, pods' headers, the key
  constexpr std::size_t kRoomy = 30;             // from here on there is room for blank lines
  const std::size_t blanks = size.rows >= kRoomy ? 3 : 0;
  std::size_t left = size.rows > kFixed + blanks ? size.rows - kFixed - blanks : 0;
  Rows rows;
  rows.signals = std::min(overview.signals.size(), std::max<std::size_t>(left / 2, 1));
  left -= std::min(left, rows.signals);
  rows.events = std::min(overview.events.size(), left / 3);
  rows.pods = left - rows.events;
  return rows;
}

TextLine Title(const Overview& overview, std::size_t columns) {
  const std::string pressure = PressureText(overview);
  TextLine line;
  line.Add("jettison top", Ink::kStrong).Add("  ").Add(overview.node).Add("  ");
  line.Add(pressure.empty() ? "no pressure" : pressure,
           pressure.empty() ? Ink::kGood : Ink::kBadStrong);
  if (overview.dry_run) line.Add("  ").Add("DRY RUN", Ink::kWarning);
  return line.Add("  ").RightTo(columns, ClockText(overview.at), Ink::kFaint);
}

TextLine Subtitle(const TopContent& content) {
  const Overview& overview = content.overview;
  TextLine line;
  for (const std::string& trouble : {content.trouble, content.overview.loop_problem}) {
    if (!trouble.empty()) return line.Add(trouble, Ink::kBadStrong);
  }
  line.Add(overview.phase, overview.phase == "monitoring" ? Ink::kFaint : Ink::kWarning);
  if (!overview.memory_held.empty()) {
    return line.Add(", memory is held by ", Ink::kWarning).Add(overview.memory_held);
  }
  if (!overview.disk_held.empty()) {
    return line.Add(", the disk is held by ", Ink::kWarning).Add(overview.disk_held);
  }
  line.Add(fmt::format(", up {}", SpanText(Elapsed(overview.started_at, overview.at))),
           Ink::kFaint);
  if (overview.last_pass) {
    line.Add(fmt::format(", pass {} {} ago", overview.passes,
                         SpanText(Elapsed(overview.last_pass->at, overview.at))),
             Ink::kFaint);
  }
  if (overview.pods_measured_at) {
    line.Add(fmt::format(", pods measured {} ago",
                         SpanText(Elapsed(*overview.pods_measured_at, overview.at))),
             Ink::kFaint);
  }
  return line;
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

void Append(std::vector<TextLine> more, bool blank_before, std::vector<TextLine>& lines) {
  if (blank_before) lines.emplace_back();
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

}  // namespace

std::vector<std::string> ComposeTop(const TopContent& content, ScreenSize size, TextStyle style) {
  const std::size_t columns = std::clamp(size.columns, kFewestColumns, kMostColumns);
  const Rows rows = RowsOf(content.overview, size);
  const bool roomy = size.rows >= 30;
  std::vector<TextLine> lines = {Title(content.overview, columns), Subtitle(content)};
  Append(SignalLines(content.overview, rows.signals, columns, style), roomy, lines);
  Append(PodLines(content.overview, {.count = rows.pods}, columns, style), roomy, lines);
  lines.resize(std::max(lines.size(), size.rows - std::min(size.rows, rows.events + 1)));
  Append(EventLines(content.overview, rows.events), false, lines);
  if (size.rows > 0) {
    lines.resize(size.rows - 1);
    lines.emplace_back().Add("q", Ink::kStrong).Add(" quit", Ink::kFaint);
  }
  std::vector<std::string> rendered;
  for (const TextLine& line : lines) {
    rendered.push_back(line.Render(std::min(size.columns, columns), style));
  }
  return rendered;
}

}  // namespace jettison
