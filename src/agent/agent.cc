#include "agent/agent.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "agent/figures/capacity.h"
#include "agent/figures/stats_collector.h"
#include "agent/log/log_output.h"
#include "agent/node_agent.h"
#include "core/config/read_config.h"
#include "machine/cgroups/guarded_groups.h"
#include "machine/cgroups/kubelet_tree.h"
#include "machine/cgroups/pods_root.h"
#include "machine/machine.h"
#include "machine/state/state_root.h"

namespace jettison {

namespace {

// A configuration that is read again still names the original root and the driver of the kubelet's
// configuration; they are replaced by those in use.
void ReadAsUsed(const AgentConfig& named, const AgentConfig& used, AgentOptions& options) {
  if (named.root == used.root && named.cgroup_driver == used.cgroup_driver) return;
  const auto use = [from = named, to = used](ConfigReading reading) {
    if (reading.config.root == from.root) reading.config.root = to.root;
    if (reading.config.logs.directory == from.logs.directory) {
      reading.config.logs.directory = to.logs.directory;
    }
    if (reading.config.cgroup_driver == from.cgroup_driver) {
      reading.config.cgroup_driver = to.cgroup_driver;
    }
    return reading;
  };
  if (auto read = std::move(options.reread_config)) {
    options.reread_config = [read = std::move(read), use] { return use(read()); };
  }
  if (auto look = std::move(options.look_at_kubelet)) {
    options.look_at_kubelet = [look = std::move(look), use]() -> std::optional<ConfigReading> {
      auto reading = look();
      if (reading) reading = use(*std::move(reading));
      return reading;
    };
  }
}

Result<void> CheckIsRoot() {
  if (geteuid() == 0) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "the agent makes control groups and ends processes of others, so it must be root: "
              "run it as a service or with sudo");
}

}  // namespace

Result<std::unique_ptr<Agent>> Agent::Make(const AgentConfig& named, AgentOptions options) {
  // The log has a clock of its own, so that errors on the way can be logged.
  static const SteadyClock kLogClock;
  auto log = OpenLog({.format = named.json_logs ? LogFormat::kJson : options.log_format,
                      .least = named.log_level,
                      .dry_run = named.dry_run || options.dry_run,
                      .sink = options.log},
                     kLogClock);
  if (const auto is_root = CheckIsRoot(); !is_root) return Fail(is_root.error());
  const auto seen = WithDriverInUse(named, *log);
  if (!seen) return Fail(seen.error());
  // Before the root is looked at: an agent that is refused must not move state of the one that
  // runs.
  auto groups = OpenGuardedGroups(*seen, *log);
  if (!groups) return Fail(groups.error());
  auto opened = OpenStateRoot(*seen, *log);
  if (!opened) return Fail(opened.error());
  const AgentConfig& config = opened->config;
  ReadAsUsed(named, config, options);
  auto machine = OpenMachine(config, std::move(*groups), std::move(opened->state), *log);
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
  const ResourceList resources = NodeCapacity(*memory, figures.ReadNode().fs);
  return std::make_unique<NodeAgent>(config, std::move(options), std::move(log),
                                     std::move(*machine),
                                     NodeShares{.memory_bytes = *memory,
                                                .allocatable = SharedAmong(config, resources),
                                                .capacity = resources});
}

}  // namespace jettison
