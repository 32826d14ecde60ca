#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace jettison::cri {

// What the entry "info" of a verbose answer holds as JSON. It is each runtime's own affair: what is
// not there, or is something else, is absent.

// The first process of a container.
[[nodiscard]] std::optional<pid_t> PidIn(std::string_view info);

// The signal that asks the programs of an image to end (STOPSIGNAL); absent also where its name is
// unknown here.
[[nodiscard]] std::optional<int> StopSignalIn(std::string_view info);

// The number of a signal that is written as "SIGTERM", "TERM", "15" or "SIGRTMIN+3".
[[nodiscard]] std::optional<int> SignalNamed(std::string_view name);

}  // namespace jettison::cri
