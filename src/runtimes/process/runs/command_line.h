#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/pod.h"
#include "core/units/result.h"

namespace jettison::process {

// Where programs are looked up when a container does not set PATH.
inline constexpr std::string_view kDefaultPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The environment of a container as "NAME=VALUE": PATH, HOME and HOSTNAME unless it sets them, then
// its own variables, each expanded with those before it. The agent's own environment is not passed
// on. Where a name is set twice, the last value counts.
[[nodiscard]] std::vector<std::string> EnvironmentOf(const Pod& pod, const Container& container);

// The program and its arguments, expanded with the container's variables. Fails where there is no
// command: there is no image to take one from.
[[nodiscard]] Result<std::vector<std::string>> CommandLineOf(const Container& container);

}  // namespace jettison::process
