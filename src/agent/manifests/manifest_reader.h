#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/manifests/manifest_reading.h"
#include "core/units/result.h"
#include "machine/loop/job_queue.h"
#include "machine/loop/steady_clock.h"
#include "sources/manifests/manifest_directory.h"

namespace jettison {

// What one look at the manifests brought.
struct ManifestScan {
  Instant began;
  bool listed = false;     // the path could be listed, or is missing
  Result<void> watched;    // whether the kernel tells of changes from now on
  bool unsettled = false;  // a file was left because it is being written
  std::vector<ManifestNews> news;
};

// Watches the manifests, and reads them beside the loop: a file may lie on a disk that hangs, and
// parsing the largest one takes up to some seconds.
class ManifestReader {
 public:
  ManifestReader(ManifestDirectory directory, const SteadyClock& clock);

  // Looks through everything, soon. Before the first time nothing is looked at. `expect`, the first
  // time: files of an agent before this one, which are told when they are gone.
  void Look(std::vector<std::string> expect = {});
  // Readable when TakeScans has something to do. -1: it has to be asked from time to time.
  [[nodiscard]] int fd() const;
  // What has been read. Has what has changed meanwhile read.
  [[nodiscard]] std::vector<ManifestScan> TakeScans();

 private:
  struct Work;  // shared with the jobs

  std::shared_ptr<Work> work_;
  JobQueue jobs_{Threads::kSpare, AtEnd::kLeave};
};

}  // namespace jettison
