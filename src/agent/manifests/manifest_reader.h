#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/loop/steady_clock.h"
#include "agent/manifests/manifest_reading.h"
#include "core/units/result.h"
#include "sources/manifests/manifest_directory.h"

namespace jettison {

// What one look at the manifests brought.
struct ManifestScan {
  Instant began;
  bool whole = false;    // every file was looked at, and the path could be listed or is missing
  bool listed = false;   // the path could be listed, or was missing, when that was last tried
  Result<void> watched;  // whether the kernel tells of changes from now on
  std::vector<ManifestNews> news;
};

// Watches and reads the manifests on a thread of its own: a file may lie on a disk that hangs, and
// parsing the largest one takes up to some seconds.
class ManifestReader {
 public:
  // Starts the thread. Where none is to be had `thread` says why, and Rescan does everything.
  ManifestReader(ManifestDirectory directory, const SteadyClock& clock);
  ManifestReader(const ManifestReader&) = delete;
  ManifestReader& operator=(const ManifestReader&) = delete;
  // Waits for what the thread is at for a second; a disk that hangs longer keeps it.
  ~ManifestReader();

  [[nodiscard]] const Result<void>& thread() const { return thread_; }
  // Files of an agent before this one, which are told when they are gone. Before the first Rescan.
  void Expect(std::vector<std::string> files);
  // Looks through everything, soon. Before the first time nothing is looked at.
  void Rescan();
  // Readable when TakeScans has something.
  [[nodiscard]] int fd() const;
  [[nodiscard]] std::vector<ManifestScan> TakeScans();

 private:
  struct Work;  // shared with the thread

  std::shared_ptr<Work> work_;
  Result<void> thread_;
};

}  // namespace jettison
