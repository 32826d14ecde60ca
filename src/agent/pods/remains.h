#pragma once

#include <cstddef>
#include <memory>

#include "agent/log/log.h"
#include "agent/pods/orphan_groups.h"
#include "agent/pods/pod_logs_collector.h"
#include "agent/pods/pod_table.h"
#include "core/config/agent_config.h"
#include "ports/cgroups.h"

namespace jettison {

// Removes what is left of pods that are gone: their logs and their groups.
class Remains {
 public:
  // Everything must outlive this.
  Remains(const AgentConfig& config, Cgroups& groups, const PodTable& pods, const Log& log);

  // How many pods lose their logs.
  std::size_t CollectLogs();
  // Must only be called after the runtime has listed its pods, because before that it is not known
  // which groups belong to no pod. Groups that a kubelet creates are not removed.
  void SweepGroups();

 private:
  const PodTable& pods_;
  OrphanGroups groups_;
  bool owns_groups_;
  std::unique_ptr<PodLogsCollector> logs_;  // null: logs are where others may have theirs
};

}  // namespace jettison
