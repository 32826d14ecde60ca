#include "sources/foreign/foreign_group.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/proc_files.h"
#include "sources/foreign/foreign_spec.h"

namespace jettison {
namespace {

tl::unexpected<Error> Ended() {
  return Fail(ErrorCode::kNotFound, "its process has ended");
}

// The groups of a process that has not ended; kNotFound if it has.
Result<std::string> GroupsOf(Processes& processes, pid_t pid) {
  auto groups = processes.ReadFile(pid, "cgroup");
  if (!groups) return groups;
  const auto handle = processes.Open(pid);
  if (!handle) return Fail(handle.error());
  pollfd ended{.fd = handle->get(), .events = POLLIN, .revents = 0};
  if (::poll(&ended, 1, 0) == 1) return Ended();
  return groups;
}

bool IsAtOrBelow(std::string_view group, std::string_view other) {
  return group.starts_with(other) && (group.size() == other.size() || group[other.size()] == '/');
}

// The part of `group` that is the container's own, because a container may have made groups below
// it. `below` is the length of the node's group with its slash. Empty: no group below the node's is
// the container's.
std::string OwnPartOf(const std::string& group, std::size_t below, const ForeignProcess& process) {
  if (process.id.empty()) return {};
  if (process.cgroups_path) {
    std::string declared = DeclaredGroup(group, *process.cgroups_path);
    const std::size_t name = declared.rfind('/');
    const bool is_named = declared.size() > below && name != std::string::npos &&
                          IsGroupOfContainer(declared.substr(name + 1), process.id);
    return is_named ? declared : std::string();
  }
  for (std::size_t begin = below; begin < group.size();) {
    const std::size_t end = std::min(group.find('/', begin), group.size());
    if (IsGroupOfContainer(group.substr(begin, end - begin), process.id)) {
      return group.substr(0, end);
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace

Result<std::string> ForeignGroupOf(const NodeGroups& node, const ForeignProcess& process) {
  Processes& processes = node.processes;
  const auto groups = GroupsOf(processes, process.pid);
  if (!groups) return groups.error().code == ErrorCode::kNotFound ? Ended() : Fail(groups.error());
  const std::string group = MemoryGroupIn(*groups);
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("its control group {} {}", group, why));
  };
  const std::string below = node.prefix + "/";
  if (group == "/") {
    const auto stat = processes.ReadFile(process.pid, "stat");
    if (stat && IsEnding(*stat)) return Fail(ErrorCode::kUnavailable, "its process is ending");
  }
  if (!group.starts_with(below) || group.find("/..") != std::string::npos) {
    return refuse("does not lie below the node's");
  }
  // A group may only be killed if it is known whose it is.
  const std::string own = OwnPartOf(group, below.size(), process);
  if (own.empty()) return refuse("is not named after its container");
  std::string found = own.substr(below.size());
  const auto is_own = HoldsThisAgent(node, found);
  if (!is_own) return Fail(is_own.error());
  if (*is_own) return refuse("is this agent's own");
  return found;
}

// Descriptors or memory may be short. Whatever the code of that error is, it says nothing of the
// container's process.
Result<bool> HoldsThisAgent(const NodeGroups& node, const std::string& group) {
  const auto read = node.processes.ReadFile(::getpid(), "cgroup");
  const std::string agent = read ? MemoryGroupIn(*read) : std::string();
  if (agent.empty()) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("the agent cannot read its own control group now{}{}", read ? "" : ": ",
                            read ? "" : read.error().message));
  }
  return IsAtOrBelow(agent, fmt::format("{}/{}", node.prefix, group));
}

// A limit that applies to all is not the group's own.
std::optional<std::uint64_t> ForeignMemoryLimitOf(const NodeGroups& node,
                                                  const std::string& group) {
  Cgroups& cgroups = node.cgroups;
  const auto own = cgroups.ReadMemoryLimit(group);
  if (!own || !*own) return std::nullopt;
  const std::string pods = kernel::PodsGroup(node.names);
  const bool in_pods = group.starts_with(fmt::format("{}/", pods));
  const auto shared = cgroups.ReadMemoryLimit(in_pods ? pods : std::string());
  return shared && *shared && **shared <= **own ? std::nullopt : *own;
}

}  // namespace jettison
