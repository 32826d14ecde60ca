#include "cli/demo/demo_checklist.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/terminal/amount_text.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

constexpr std::size_t kIndent = 6;
constexpr std::size_t kMostLines = 2;  // of one detail

std::string_view MarkOf(bool held, TextStyle style) {
  if (style.unicode) return held ? "✓" : "✗";
  return held ? "ok" : "NO";
}

// Puts the detail behind what it belongs to where there is room, otherwise below.
void AddDetail(const std::string& detail, std::size_t columns, TextStyle style, TextLine& line,
               std::vector<std::string>& lines) {
  const bool beside = !detail.empty() && line.width() + 2 + WidthOf(detail) <= columns;
  if (beside) line.Add(", ", Ink::kFaint).Add(detail, Ink::kFaint);
  lines.push_back(line.Render(columns, style));
  if (beside) return;
  for (const std::string& text : Wrap(detail, columns - kIndent, kMostLines, style)) {
    lines.push_back(TextLine().To(kIndent).Add(text, Ink::kFaint).Render(columns, style));
  }
}

}  // namespace

std::vector<std::string> Checklist(const std::vector<Expectation>& expectations, Duration took,
                                   std::size_t columns, TextStyle style) {
  std::vector<std::string> lines;
  for (const Expectation& expectation : expectations) {
    TextLine line;
    line.To(1).Add(MarkOf(expectation.held, style),
                   expectation.held ? Ink::kGood : Ink::kBadStrong);
    line.To(kIndent - 1).Add(expectation.what, expectation.held ? Ink::kPlain : Ink::kBadStrong);
    AddDetail(expectation.detail, columns, style, line, lines);
  }
  const auto held = std::count_if(expectations.begin(), expectations.end(),
                                  [](const Expectation& each) { return each.held; });
  const bool all = AllHeld(expectations);
  lines.emplace_back();
  lines.push_back(TextLine()
                      .To(1)
                      .Add(fmt::format("{} of {} expectations held, in {}.", held,
                                       expectations.size(), SecondsText(took)),
                           all ? Ink::kGood : Ink::kBadStrong)
                      .Render(columns, style));
  return lines;
}

std::string ChecklistJson(const std::vector<Expectation>& expectations, Duration took) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Field("passed", AllHeld(expectations));
    json.Field("seconds", std::chrono::duration_cast<std::chrono::seconds>(took).count());
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
