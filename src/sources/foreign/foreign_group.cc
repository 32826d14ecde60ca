#include "sources/foreign/foreign_group.h"

#include <fmt/format.h>
#include <poll.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"

namespace jettison {
namespace {

// A process in a foreign container, and what its specification declares.
struct ForeignProcess {
  std::string id;  // of the container
  pid_t pid = 0;
  std::optional<std::string> cgroups_path;
};

using Json = simdjson::simdjson_result<simdjson::dom::element>;

ContainerSpec SpecOf(Json document) {
  ContainerSpec spec;
  simdjson::dom::object annotations;
  if (document["annotations"].get(annotations) == simdjson::SUCCESS) {
    for (const auto& [name, value] : annotations) {
      std::string_view text;
      if (value.get(text) == simdjson::SUCCESS) spec.annotations[std::string(name)] = text;
    }
  }
  std::string_view path;
  if (document["linux"]["cgroupsPath"].get(path) == simdjson::SUCCESS) spec.cgroups_path = path;
  std::uint64_t shares = 0;
  if (document["linux"]["resources"]["cpu"]["shares"].get(shares) == simdjson::SUCCESS) {
    spec.cpu_shares = shares;
  }
  return spec;
}

// The group up to and including its first component from `begin` on for which that is true; empty:
// there is none.
template <typename Is>
std::string UpToFirst(std::string_view group, std::size_t begin, Is is) {
  while (begin < group.size()) {
    const std::size_t end = std::min(group.find('/', begin), group.size());
    if (is(group.substr(begin, end - begin))) return std::string(group.substr(0, end));
    begin = end + 1;
  }
  return {};
}

bool IsAtOrBelow(std::string_view group, std::string_view other) {
  return group.starts_with(other) && (group.size() == other.size() || group[other.size()] == '/');
}

// The part of `group` that is the container's own, because a container may have made groups below
// it. `below` is the length of the node's group with its slash. Empty: no group below the node's is
// the container's.
std::string OwnPartOf(const std::string& group, std::size_t below, const ForeignProcess& process) {
  if (process.id.empty()) return {};
  const auto is_its = [&](std::string_view name) { return IsGroupOfContainer(name, process.id); };
  if (!process.cgroups_path) return UpToFirst(group, below, is_its);
  std::string declared = DeclaredGroup(group, *process.cgroups_path);
  const std::size_t name = declared.rfind('/');
  const bool is_named = declared.size() > below && name != std::string::npos &&
                        is_its(std::string_view(declared).substr(name + 1));
  return is_named ? declared : std::string();
}

tl::unexpected<Error> Ended() {
  return Fail(ErrorCode::kNotFound, "it has ended");
}

// The group below the node's that is named after the container and in which something runs, from
// the root of the hierarchy; empty: there is none.
std::string NamedGroupBelow(const NodeGroups& node, const ForeignProcess& process,
                            const std::string& parent) {
  const auto children = node.cgroups.Children(parent);
  if (!children) return {};
  for (const std::string& name : *children) {
    const std::string path = parent.empty() ? name : fmt::format("{}/{}", parent, name);
    std::string group = fmt::format("{}/{}", node.prefix, path);
    const bool is_its = OwnPartOf(group, node.prefix.size() + 1, process) == group;
    if (is_its && !node.cgroups.Processes(path).value_or(std::vector<pid_t>()).empty()) {
      return group;
    }
    if (std::string below = NamedGroupBelow(node, process, path); !below.empty()) return below;
  }
  return {};
}

bool HasEnded(Processes& processes, pid_t pid) {
  const auto stat = processes.ReadFile(pid, "stat");
  if (stat && IsEnding(*stat)) return true;
  const auto handle = processes.Open(pid);
  if (!handle) return handle.error().code == ErrorCode::kNotFound;
  pollfd ended{.fd = handle->get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) == 1;
}

// Where /proc hides a process (hidepid), or tells "/" of one whose first thread has ended (cgroup
// v1), or it has ended and others of its container run on, the groups themselves are searched.
Result<std::string> GroupOf(const NodeGroups& node, const ForeignProcess& process) {
  const auto groups = node.processes.ReadFile(process.pid, "cgroup");
  if (!groups && groups.error().code != ErrorCode::kNotFound) return Fail(groups.error());
  std::string group = groups ? MemoryGroupIn(*groups) : std::string();
  if (group.size() <= 1) {
    std::string named = NamedGroupBelow(node, process, "");
    if (named.empty() && HasEnded(node.processes, process.pid)) return Ended();
    if (!named.empty()) group = std::move(named);
  }
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("its control group {} {}", group, why));
  };
  if (group.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("/proc hides its process {} from the agent (hidepid), and no control "
                            "group is named after its container",
                            process.pid));
  }
  const std::string below = node.prefix + "/";
  if (!group.starts_with(below) || group.find("/..") != std::string::npos) {
    return refuse("does not lie below the node's");
  }
  // A group may only be killed if it is known whose it is.
  const std::string own = OwnPartOf(group, below.size(), process);
  if (own.empty()) return refuse("is not named after its container");
  std::string found = own.substr(below.size());
  const auto running = node.cgroups.Processes(found);
  if (!running && running.error().code != ErrorCode::kNotFound) return Fail(running.error());
  if (!running || running->empty()) return Ended();
  const auto is_own = HoldsThisAgent(node, found);
  if (!is_own) return Fail(is_own.error());
  if (*is_own) return refuse("is this agent's own");
  return found;
}

// A limit that applies to all is not the group's own.
std::optional<std::uint64_t> MemoryLimitOf(const NodeGroups& node, const std::string& group) {
  Cgroups& cgroups = node.cgroups;
  const auto own = cgroups.ReadMemoryLimit(group);
  if (!own || !*own) return std::nullopt;
  const std::string pods = kernel::PodsGroup(node.names);
  const bool in_pods = group.starts_with(fmt::format("{}/", pods));
  const auto shared = cgroups.ReadMemoryLimit(in_pods ? pods : std::string());
  return shared && *shared && **shared <= **own ? std::nullopt : *own;
}

}  // namespace

ContainerSpec ReadSpec(std::string_view json) {
  simdjson::dom::parser parser;
  return SpecOf(parser.parse(json.data(), json.size()));
}

ContainerSpec ReadSpecInInfo(std::string_view info) {
  simdjson::dom::parser parser;
  return SpecOf(parser.parse(info.data(), info.size())["runtimeSpec"]);
}

std::string DeclaredGroup(std::string_view group, std::string_view cgroups_path) {
  const std::size_t slice_end = cgroups_path.find(':');
  if (slice_end == std::string_view::npos) {
    const bool is_absolute = cgroups_path.starts_with('/') && cgroups_path.size() > 1;
    return is_absolute && IsAtOrBelow(group, cgroups_path) ? std::string(cgroups_path) : "";
  }
  const std::string_view scope = cgroups_path.substr(slice_end + 1);
  const std::size_t prefix_end = scope.find(':');
  if (prefix_end == std::string_view::npos) return {};
  const std::string_view prefix = scope.substr(0, prefix_end);
  const std::string unit =
      fmt::format("{}{}{}.scope", prefix, prefix.empty() ? "" : "-", scope.substr(prefix_end + 1));
  return UpToFirst(group, 0, [&](std::string_view name) { return name == unit; });
}

std::optional<std::int64_t> MilliCpuOf(std::uint64_t shares) {
  constexpr std::uint64_t kLeast = 2;
  constexpr std::uint64_t kMost = 262'144;
  constexpr std::uint64_t kOfOneCpu = 1024;
  if (shares <= kLeast) return std::nullopt;
  return static_cast<std::int64_t>((std::min(shares, kMost) * 1000 + kOfOneCpu - 1) / kOfOneCpu);
}

Result<void> TakeGroup(const NodeGroups& node, ForeignContainer& container,
                       std::optional<std::string> cgroups_path) {
  auto group = GroupOf(
      node, {.id = container.id, .pid = container.pid, .cgroups_path = std::move(cgroups_path)});
  if (!group) return Fail(group.error());
  container.group = *std::move(group);
  container.memory_limit = MemoryLimitOf(node, container.group);
  return {};
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

}  // namespace jettison
