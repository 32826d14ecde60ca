#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/pods/pod_table.h"
#include "core/config/agent_config.h"
#include "core/decide/container_gc.h"
#include "core/model/cgroup_driver.h"
#include "core/units/once.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "ports/cgroups.h"
#include "ports/disk_thread.h"
#include "ports/mailbox.h"

namespace jettison {

// Where the logs of pods are.
struct PodLogsPlaces {
  std::string folder;  // has a folder for each pod, and belongs to this agent alone
  std::string pods;    // nothing is deleted of a pod that has a folder in it
};

// What is to become of log folders.
struct FoundPodLogs {
  struct Failure {
    std::string path;
    std::string err;
  };
  std::vector<std::string> doomed;   // paths under a new name, which are to be deleted
  std::vector<std::string> removed;  // names of those whose pods are gone
  std::vector<std::string> strange;  // names of those that have anything but logs, and stay
  std::vector<Failure> failures;     // to rename one
};

// Searches for log folders whose pods are gone, and renames each to a name that no pod's folder
// has. Finds also those that were renamed before.
[[nodiscard]] FoundPodLogs DoomPodLogs(const PodLogsPlaces& places, const PodsForGc& pods);

// Deletes log folders whose pods are gone. Normally a pod's logs are removed with it; the folders
// that are found here are left from a removal that the end of an agent interrupted.
class PodLogsCollector {
 public:
  // `disk` makes the folders of pods, too, so that a search comes before those of a pod that is
  // created later, or finds them; null: the caller searches. `log` must outlive this.
  PodLogsCollector(PodLogsPlaces places, std::shared_ptr<DiskThread> disk, const Log& log)
      : places_(std::move(places)), disk_(std::move(disk)), log_(log) {}

  // Searches for the logs, and renames them to be deleted. Does nothing while an earlier search is
  // not over. If the deletion is interrupted, a later collection deletes them.
  void Collect(const PodsForGc& pods);
  // Readable when a search is over.
  [[nodiscard]] int fd() const { return found_->fd(); }
  // Has what was found deleted, on another thread, and logs it.
  void TakeFound();

 private:
  void LogFound(const FoundPodLogs& found);

  PodLogsPlaces places_;
  std::shared_ptr<DiskThread> disk_;
  const Log& log_;
  // With the disk's thread.
  std::shared_ptr<Mailbox<FoundPodLogs>> found_ = std::make_shared<Mailbox<FoundPodLogs>>();
  bool is_searching_ = false;
  std::set<std::string> left_;  // that are no pod's logs
  // Its jobs own what they use: the disk may hang when the agent ends.
  JobQueue deletions_{Threads::kSpare, AtEnd::kLeave};
};

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
  enum class Inhabitants { kNone, kSome, kUnknown };
  [[nodiscard]] Inhabitants In(const std::string& group) const;
  void SayShared(const std::string& group);

  Cgroups& groups_;
  CgroupDriver driver_;
  const Log& log_;
  std::set<std::string> seen_;  // empty and of no pod at the last sweep
  Once say_shared_;
};

// Removes what is left of pods that are gone: their logs and their groups.
class Remains {
 public:
  // Everything must outlive this. `disk`: see PodLogsCollector.
  Remains(const AgentConfig& config, Cgroups& groups, const PodTable& pods,
          std::shared_ptr<DiskThread> disk, const Log& log);

  // Searches for logs; what is found is taken by logs()->TakeFound.
  void CollectLogs();
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
