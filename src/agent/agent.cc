#include "agent/agent.h"

#include <utility>

#include "agent/figures/capacity.h"
#include "agent/figures/stats_collector.h"
#include "agent/log/log_output.h"
#include "agent/node_agent.h"
#include "machine/machine.h"

namespace jettison {

Result<std::unique_ptr<Agent>> Agent::Make(const AgentConfig& config, AgentOptions options) {
  // The log stamps its lines by a clock of its own, so that it can tell what goes wrong on the way.
  static const SteadyClock kLogClock;
  options.dry_run = options.dry_run || config.dry_run;
  auto log = OpenLog({.format = config.json_logs ? LogFormat::kJson : options.log_format,
                      .least = config.log_level,
                      .dry_run = config.dry_run || options.dry_run,
                      .sink = options.log},
                     kLogClock);
  auto machine = OpenMachine(config, *log);
  if (!machine) return Fail(machine.error());
  StatsCollector figures({.node = *(*machine)->node_groups,
                          .pods = (*machine)->pod_groups(),
                          .procfs = *(*machine)->procfs,
                          .whole_machine = config.node_cgroup.empty(),
                          .node_fs = config.node_fs,
                          .cgroup_driver = config.cgroup_driver},
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
