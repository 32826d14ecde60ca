#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/pods/pod_table.h"
#include "core/config/agent_config.h"
#include "core/decide/container_gc.h"
#include "core/model/cgroup_driver.h"
#include "core/units/once.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "ports/disk_thread.h"

namespace jettison {

// Where the logs of pods are.
struct PodLogsPlaces {
  std::string folder;  // has a folder for each pod, and belongs to this agent alone
  std::string pods;    // nothing is deleted of a pod that has a folder in it
};

// Deletes log folders whose pods are gone. Normally a pod's logs are removed with it; the folders
// that are found here are left from a removal that the end of an agent interrupted. A folder with
// anything but logs stays. What cannot be deleted is tried again the next time.
void RemoveLogsOfGonePods(const PodLogsPlaces& places, const PodsForGc& pods);

// Removes control groups of pods that are gone. They are left if a runtime creates them again after
// the agent was killed between its command and the removal. Slices belong to systemd and are not
// removed.
//
// A group is removed if it had no process and belonged to no pod in two sweeps in a row. While
// there are foreign pods, no group is removed, because their groups are empty at first, too.
class OrphanGroups {
 public:
  // Both must outlive this.
  OrphanGroups(Cgroups& groups, CgroupDriver driver, const Log& log)
      : groups_(groups), driver_(driver), log_(log) {}

  // `known`: whether something of a pod with that UID is on the node. `shared`: whether there are
  // foreign pods. To be called about once a minute.
  void Sweep(const std::function<bool(std::string_view uid)>& known, bool shared);

 private:
  Cgroups& groups_;
  CgroupDriver driver_;
  const Log& log_;
  std::set<std::string> seen_;  // empty and of no pod at the last sweep
  Once say_shared_;
};

// Removes what is left of pods that are gone: their logs and their groups.
class Remains {
 public:
  // Everything must outlive this. `disk` makes the folders of pods, too, so that a search for logs
  // comes before those of a pod that is created later, or finds them; null: the caller searches.
  Remains(const AgentConfig& config, Cgroups& groups, const PodTable& pods,
          std::shared_ptr<DiskThread> disk, const Log& log);

  // Does nothing while an earlier collection is not over, nor where others may have their logs.
  void CollectLogs();
  // Must only be called after the runtime has listed its pods, because before that it is not known
  // which groups belong to no pod. Groups that a kubelet creates are not removed.
  void SweepGroups();

 private:
  const PodTable& pods_;
  OrphanGroups groups_;
  bool owns_groups_;
  std::optional<PodLogsPlaces> logs_;  // absent: others may have theirs there
  std::shared_ptr<DiskThread> disk_;
  std::shared_ptr<std::atomic<bool>> collecting_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace jettison
