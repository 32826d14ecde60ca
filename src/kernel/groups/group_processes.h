#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/units/result.h"

// The processes of a control group of either version, by the open directory of the group.
namespace jettison::kernel {

// Every process of the group and of those below it, by rising id; groups below that vanish
// meanwhile count as empty, and so do threaded ones (v2), whose processes are listed above them.
[[nodiscard]] Result<std::vector<pid_t>> ProcessesBelow(int group);

// Sends a signal to every process of the group and of those below it, and to nobody who only has
// the number of one that has ended; who was listed. One that ends meanwhile is fine.
[[nodiscard]] Result<std::vector<pid_t>> SignalBelow(int group, int signal);

// Who is in a group, for people: "2 processes: 12 (sh), 13 (sleep)".
[[nodiscard]] std::string DescribeProcesses(int group);

}  // namespace jettison::kernel
