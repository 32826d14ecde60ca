#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/decide/container_gc.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "machine/loop/mailbox.h"
#include "ports/disk_thread.h"

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
  // For how many pods the last search found logs; absent while it is not over.
  [[nodiscard]] std::optional<std::size_t> removed() const { return removed_; }

 private:
  void LogFound(const FoundPodLogs& found);

  PodLogsPlaces places_;
  std::shared_ptr<DiskThread> disk_;
  const Log& log_;
  // With the disk's thread.
  std::shared_ptr<Mailbox<FoundPodLogs>> found_ = std::make_shared<Mailbox<FoundPodLogs>>();
  std::optional<std::size_t> removed_ = 0;
  std::set<std::string> left_;  // that are no pod's logs
  // Its jobs own what they use: the disk may hang when the agent ends.
  JobQueue deletions_{Threads::kSpare, AtEnd::kLeave};
};

}  // namespace jettison
