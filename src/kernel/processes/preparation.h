#pragma once

#include <sys/types.h>

#include <string_view>

#include "kernel/processes/processes.h"

namespace jettison {

// Whether a process in the group of a container is what runc makes the container with, or keeps in
// one that is not started yet. `proc_stat` is its /proc/PID/stat.
[[nodiscard]] bool IsPreparation(Processes& processes, pid_t pid, std::string_view proc_stat);

}  // namespace jettison
