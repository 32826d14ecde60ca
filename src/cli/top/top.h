#pragma once

#include <string>
#include <string_view>

#include "api/overview/overview.h"
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

}  // namespace jettison
