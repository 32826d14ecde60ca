#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "agent/config_in_force.h"
#include "agent/figures/stats_collector.h"
#include "agent/machine.h"
#include "agent/node_agent.h"
#include "core/config/read_config.h"
#include "kernel/files/files.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/log/log.h"

namespace jettison {

namespace {

Result<void> CheckIsRoot() {
  if (geteuid() == 0) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "the agent makes control groups and ends processes of others, so it must be root: "
              "run it as a service or with sudo");
}

// The lock on the group of all pods is held already: an agent that is refused because another one
// guards the pods has not touched the state of that one.
Result<void> MakeRoot(const std::string& root) {
  if (const auto made = kernel::MakeFolders(root); !made) {
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("root directory {} cannot be made: {}; set `root` in "
                            "JettisonConfiguration to a directory that can be written",
                            root, made.error().message));
  }
  return {};
}

// Processors of this machine, this much memory, and the bytes of nodefs where it could be measured.
ResourceList NodeCapacity(std::uint64_t memory_bytes, const std::optional<FsStats>& node_fs) {
  ResourceList capacity;
  capacity["cpu"] = Quantity::Of(::get_nprocs(), QuantityFormat::kDecimalSI);
  capacity["memory"] = Quantity::Of(static_cast<std::int64_t>(memory_bytes));
  if (node_fs && node_fs->capacity_bytes) {
    capacity["ephemeral-storage"] =
        Quantity::Of(static_cast<std::int64_t>(*node_fs->capacity_bytes));
  }
  return capacity;
}

}  // namespace

Result<std::unique_ptr<NodeAgent>> OpenAgent(const AgentConfig& named, AgentOptions options) {
  // The log has a clock of its own, so that errors on the way can be logged.
  static const SteadyClock kLogClock;
  auto log = OpenLog({.format = named.json_logs ? LogFormat::kJson : options.log_format,
                      .least = named.log_level,
                      .dry_run = named.dry_run || options.dry_run,
                      .sink = options.log},
                     kLogClock);
  if (const auto is_root = CheckIsRoot(); !is_root) return Fail(is_root.error());
  const auto used = WithDriverInUse(named, *log);
  if (!used) return Fail(used.error());
  const AgentConfig& config = *used;
  auto groups = OpenGuardedGroups(config, *log);
  if (!groups) return Fail(groups.error());
  if (const auto root = MakeRoot(config.root); !root) return Fail(root.error());
  auto machine = OpenMachine(config, std::move(*groups), *log);
  if (!machine) return Fail(machine.error());
  StatsCollector figures({.node = *(*machine)->node_groups,
                          .pods = (*machine)->pod_groups(),
                          .procfs = *(*machine)->procfs,
                          .whole_machine = config.node_cgroup.empty(),
                          .node_fs = config.node_fs,
                          .group_names = GroupNamesOf(config)},
                         (*machine)->clock, *log);
  const auto memory = figures.ReadMemoryCapacity();
  if (!memory) return Fail(memory.error().In("memory capacity of the node"));
  SetUpNode(config, NodeCapacity(*memory, std::nullopt), **machine, *log);
  const ResourceList capacity = NodeCapacity(*memory, figures.ReadNode().fs);
  const NodeIdentity node{.config = {},
                          .started_at = (*machine)->clock.Now(),
                          .capacity = capacity,
                          .allocatable = SharedAmong(config, capacity)};
  return std::make_unique<NodeAgent>(config, std::move(options), std::move(log),
                                     std::move(*machine), node, named.cgroup_driver);
}

}  // namespace jettison
