#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "agent/pods/orphan_groups.h"
#include "agent/pods/pod_logs_collector.h"
#include "agent/pods/pod_table.h"
#include "core/config/agent_config.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "ports/disk_thread.h"

namespace jettison {

// Removes what is left of pods that are gone: their logs and their groups.
class Remains {
 public:
  // Everything must outlive this. `disk`: see PodLogsCollector.
  Remains(const AgentConfig& config, Cgroups& groups, const PodTable& pods,
          std::shared_ptr<DiskThread> disk, const Log& log);

  // Searches for logs; what is found is taken by logs()->TakeFound.
  void CollectLogs();
  // How many pods lose their logs; absent while those are searched for.
  [[nodiscard]] std::optional<std::size_t> pods_losing_logs() const;
  // Null: logs are where others may have theirs.
  [[nodiscard]] PodLogsCollector* logs() const { return logs_.get(); }
  // Must only be called after the runtime has listed its pods, because before that it is not known
  // which groups belong to no pod. Groups that a kubelet creates are not removed.
  void SweepGroups();

 private:
  const PodTable& pods_;
  OrphanGroups groups_;
  bool owns_groups_;
  std::unique_ptr<PodLogsCollector> logs_;
};

}  // namespace jettison
