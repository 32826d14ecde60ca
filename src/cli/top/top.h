#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace CLI {
class App;
}

namespace jettison {

// `jettison top`: the page of `jettison status` again and again, on a terminal in place. Exit
// status 0 it was ended by a signal or --count, 1 the agent could not be reached at the start, 2
// wrong usage.
void AddTop(CLI::App& app, int& exit_code);

// `jettison status`: how the node stands. Exit status 0 the agent answered, 1 it did not, 2 wrong
// usage; with --ready 1 where it is not ready; with --exit-code 3 where a condition of the node is
// true.
void AddStatus(CLI::App& app, int& exit_code);

inline constexpr const char* kOverviewPath = "/api/v1/overview";

// What kOverviewPath answered, as a value. Fields that an older or newer agent does not send are
// absent; fails where the text is no overview.
[[nodiscard]] Result<Overview> ReadOverview(std::string_view json);

// How the page of a node is laid out.
struct PageLayout {
  std::size_t columns = 80;
  // The page is at most as many lines long, none wider than `columns`, and has bars. Absent: it has
  // some pods and events, whose lines are whole.
  std::optional<std::size_t> rows;
  bool colored = false;
};

// How the node stands, as lines below `title`: the pressure, the signals against their thresholds,
// the pods in the order of eviction with those that are on their way, and the last events.
[[nodiscard]] std::vector<std::string> NodePage(std::vector<TextLine> title,
                                                const Overview& overview, const PageLayout& layout);

// Draws that page over the whole terminal.
void DrawNode(std::vector<TextLine> title, const Overview& overview);

}  // namespace jettison
