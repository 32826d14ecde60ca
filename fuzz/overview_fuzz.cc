// links: jettison_cli_top
#include <algorithm>
#include <string>

#include "cli/top/top.h"
#include "fuzz/fuzz.h"

namespace {

bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f);
  });
}

}  // namespace

// Whatever an agent answers, what is shown fits the terminal and does not steer it.
void Fuzz(std::string_view text) {
  using namespace jettison;
  const auto overview = ReadOverview(text);
  if (!overview) return;
  const Overview& shown = *overview;
  const PageLayout screen = {.columns = 1 + text.size() % 150, .rows = 1 + text.size() % 50};
  const auto lines = NodePage({TextLine("title")}, shown, screen);
  Require(lines.size() <= *screen.rows);
  for (const std::string& line : lines) {
    Require(WidthOf(line) <= screen.columns && !HasControl(line));
  }
  for (const std::string& line : NodePage({}, shown, {.columns = screen.columns})) {
    Require(!HasControl(line));
  }
}
