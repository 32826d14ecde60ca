#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "agent/background_thread.h"
#include "agent/edges.h"
#include "agent/mailbox.h"
#include "platform/process/paths.h"

namespace jettison {

// Where the files of one pod are, as values, so that the walk shares nothing with the loop.
struct DiskTask {
  std::string uid;
  process::PodDisk disk;
};

// Walks the folders of one pod; what is not there (any more) is absent, which is not zero. Ends
// early when `cancelled`.
[[nodiscard]] PodDiskUse MeasurePod(const process::PodDisk& disk,
                                    const std::atomic<bool>& cancelled);

// Measures pods' disk use on a thread of its own; it can take seconds.
class DiskWalkThread : public DiskWalks {
 public:
  explicit DiskWalkThread(process::Paths paths) : paths_(std::move(paths)) {}
  ~DiskWalkThread() override { cancelled_ = true; }

  void Start(std::span<const PodFacts* const> pods) override;
  // Readable when a walk is done.
  [[nodiscard]] int fd() const { return results_.fd(); }
  [[nodiscard]] std::vector<DiskUse> TakeResults() { return results_.TakeAll(); }

 private:
  process::Paths paths_;
  std::atomic<bool> cancelled_ = false;
  Mailbox<DiskUse> results_;
  BackgroundThread thread_;  // the last member: it ends first
};

}  // namespace jettison
