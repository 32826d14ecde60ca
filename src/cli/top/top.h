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

// `jettison top`: the node live on a terminal, or as lines where there is none. Exit status 0 it
// was ended by a signal or --count, 1 the agent could not be reached at the start, 2 wrong usage.
void AddTop(CLI::App& app, int& exit_code);

// `jettison status`: how the node stands. Exit status 0 the agent answered, 1 it did not, 2 wrong
// usage; with --ready 1 where it is not ready; with --exit-code 3 where a condition of the node is
// true.
void AddStatus(CLI::App& app, int& exit_code);

// The checks that fail in an answer of /readyz?verbose, each with its reason: "cluster: forbidden;
// pass: none yet". Empty where none fails.
[[nodiscard]] std::string FailedChecks(std::string_view answer);

inline constexpr const char* kOverviewPath = "/api/v1/overview";

// What kOverviewPath answered, as a value. Fields that an older or newer agent does not send are
// absent; kInvalidArgument where the text is no overview.
[[nodiscard]] Result<Overview> ReadOverview(std::string_view json);

// "default/web"; only "web" where all pods are of one namespace.
[[nodiscard]] std::string PodNameText(const OverviewPod& pod, bool with_namespace);
// What a pod is at: "running", "evicted", "back in 4 s at the earliest, after back-off", "waiting:
// refused, MemoryPressure".
[[nodiscard]] std::string PodStateText(const OverviewPod& pod, Instant now);

// A page that shows how the node stands: conditions, signals against their thresholds, pods that
// are on their way, who would go first, the last evictions. `columns`: lines are no longer, where
// text can be shortened.
[[nodiscard]] std::string StatusText(const Overview& overview, std::size_t columns, bool colored);

// The node as lines for a terminal of that size: at most as many as it has rows, none longer than
// it is wide. Below `title` stand the head and the signals as `jettison status` has them, then the
// pods that would be evicted first, and the last events in a third of what is left.
[[nodiscard]] std::vector<std::string> ComposeTop(std::vector<TextLine> title,
                                                  const Overview& overview, ScreenSize size,
                                                  bool colored);

// The node as lines, for logs and pipes: in one line, after the events that are new since the time
// before, which `told_until` keeps.
[[nodiscard]] std::vector<std::string> NewLines(const Overview& overview,
                                                std::optional<Instant>& told_until);

}  // namespace jettison
