#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace jettison::cri {

// What a containerd whose files are all below one folder has on the machine besides them, its own
// process apart.

// Its shims, its runcs and the processes in its containers.
[[nodiscard]] std::vector<pid_t> ProcessesOf(const std::string& folder);
// Sockets of its shims, which stand outside the folder.
[[nodiscard]] std::vector<std::string> ShimSocketsOf(const std::string& folder);
// The paths of a control group in every hierarchy that has it, with what is below, deepest first.
[[nodiscard]] std::vector<std::string> GroupsNamed(const std::string& group);

// Ends and removes all of that, waiting for the kernel as long as it takes, at most some seconds.
void RemoveRemains(const std::string& folder, const std::string& group);

}  // namespace jettison::cri
