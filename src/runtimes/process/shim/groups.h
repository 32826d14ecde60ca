#pragma once

#include <sys/types.h>

#include "runtimes/process/shim/mounts.h"
#include "runtimes/process/shim/order.h"

namespace jettison::shim {

// Keeps the files of the groups from the program.
void KeepGroupFiles(const Order& order);

// Moves the process into every group of the order and closes their files. False at the first that
// does not take it. The kernel may take a good part of a second (synchronize_rcu in
// cgroup_procs_write_start), which is why the agent does not do it.
[[nodiscard]] bool JoinGroups(const Order& order, pid_t pid, Failure& failure);

}  // namespace jettison::shim
