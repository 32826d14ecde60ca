#pragma once

#include <sys/types.h>

#include <cstdint>

#include "runtimes/process/shim/order.h"

namespace jettison::shim {

// The shim's side of the conversation with the agent. An agent that is gone is no failure: what has
// been started goes on without it.
void TellStarted(pid_t pid, std::int64_t at_ns, int oom_adj_error);
void TellFailed(const Failure& failure);
// Whether the agent that gave the order is still there.
[[nodiscard]] bool AgentIsThere();

// The wall clock in nanoseconds since the Unix epoch.
[[nodiscard]] std::int64_t NowNs();
// Nanoseconds of a clock that nobody sets, to wait by.
[[nodiscard]] std::int64_t SteadyNs();

// Keeps the files of the groups from the program.
void KeepGroupFiles(const Order& order);

// Moves the process into every group of the order and closes their files. False at the first that
// does not take it. The kernel may take a good part of a second (synchronize_rcu in
// cgroup_procs_write_start), which is why the agent does not do it.
[[nodiscard]] bool JoinGroups(const Order& order, pid_t pid, Failure& failure);

}  // namespace jettison::shim
