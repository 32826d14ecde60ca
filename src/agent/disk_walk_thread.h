#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "agent/background_thread.h"
#include "agent/edges.h"
#include "agent/mailbox.h"
#include "ports/container_runtime.h"

namespace jettison {

// Where the files of one pod are, as values, so that the walk shares nothing with the loop.
struct DiskTask {
  std::string uid;
  PodDisk disk;
};

// Walks the folders of one pod; what is not there (any more) is absent, which is not zero. Ends
// early when `cancelled`.
[[nodiscard]] PodDiskUse MeasurePod(const PodDisk& disk, const std::atomic<bool>& cancelled);

// Measures pods' disk use on a thread of its own; it can take seconds.
class DiskWalkThread : public DiskWalks {
 public:
  // `runtime` says where the files are, and must outlive this.
  explicit DiskWalkThread(const ContainerRuntime& runtime) : runtime_(runtime) {}
  ~DiskWalkThread() override { cancelled_ = true; }

  void Start(std::span<const PodFacts* const> pods) override;
  // Readable when a walk is done.
  [[nodiscard]] int fd() const { return results_.fd(); }
  [[nodiscard]] std::vector<DiskUse> TakeResults() { return results_.TakeAll(); }

 private:
  const ContainerRuntime& runtime_;
  std::atomic<bool> cancelled_ = false;
  Mailbox<DiskUse> results_;
  BackgroundThread thread_;  // the last member: it ends first
};

}  // namespace jettison
