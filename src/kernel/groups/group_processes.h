#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

// The processes of a control group of either version, by the open directory of the group.
namespace jettison::kernel {

// Every process of the group and of those below it, by rising id; groups below that vanish
// meanwhile count as empty, and so do threaded ones (v2), whose processes are listed above them.
[[nodiscard]] Result<std::vector<pid_t>> ProcessesBelow(int group);

// Sends a signal to every process of the group and of those below it. Returns the processes that
// were listed, by rising id. The signal goes through a handle (pidfd), so it never reaches
// another process which was given the pid of one that ended. A process that ends meanwhile is no
// error.
[[nodiscard]] Result<std::vector<pid_t>> SignalBelow(int group, int signal);

// Sends SIGKILL to the listed processes until a list has no new ones: a process with SIGKILL
// pending cannot fork any more. Only where processes fork faster than they are listed, `freeze` is
// called. It waits for a lock of all groups, which another process may hold for seconds while the
// processors are busy. kDeadlineExceeded where new processes keep appearing.
[[nodiscard]] Result<void> KillBelow(int group, const std::function<Result<void>()>& freeze);

// The processes of a group, for messages: "2 processes: 12 (sh), 13 (sleep)".
[[nodiscard]] std::string DescribeProcesses(int group);

// Whether pages are charged to a group, and the kernel takes them back on request: by
// memory.reclaim (cgroup v2, Linux 5.19) or memory.force_empty (cgroup v1).
[[nodiscard]] bool HasPagesToDrop(int group);
// Has the kernel take back all that it can from a group: page cache, for who ended leaves nothing
// else. A kernel with busy processors takes up to a second for it.
void DropPages(int group);

// Frees the memory of a process that has been killed but has not ended yet, on the caller's
// processor (process_mrelease, Linux 5.15). That is faster than the exit of the process itself.
// Returns when the memory is free, after about 40 ms per GiB. kNotFound: the process has ended or
// has no memory of its own; kInvalidArgument: it was not killed; kUnavailable: the kernel lacks the
// call.
[[nodiscard]] Result<void> ReleaseMemory(const FileDescriptor& pidfd);

}  // namespace jettison::kernel
