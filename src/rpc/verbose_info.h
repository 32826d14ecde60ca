#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/model/choices.h"

namespace jettison::cri {

// Reads the JSON in the entry "info" of a verbose answer. Its form differs from runtime to runtime:
// a value that is missing or has another form is absent.

// The first process of a container.
[[nodiscard]] std::optional<pid_t> PidIn(std::string_view info);

// The signal that asks the programs of an image to end (STOPSIGNAL); absent also where its name is
// unknown here.
[[nodiscard]] std::optional<int> StopSignalIn(std::string_view info);

// How a runtime is set up.
struct RuntimeSettings {
  std::optional<CgroupDriver> cgroup_driver;  // of the handler that runs pods which name none
  std::string sandbox_image;                  // empty: not told
};
// The settings in the entry "config" of the verbose Status. (containerd 1.6: pkg/cri/config)
[[nodiscard]] RuntimeSettings SettingsIn(std::string_view config);

// The number of a signal that is written as "SIGTERM", "TERM", "15" or "SIGRTMIN+3".
[[nodiscard]] std::optional<int> SignalNamed(std::string_view name);

}  // namespace jettison::cri
