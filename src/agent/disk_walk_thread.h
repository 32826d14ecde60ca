#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/background_thread.h"
#include "agent/disk_measurer.h"
#include "agent/disk_pace.h"
#include "agent/disk_walk_order.h"
#include "agent/edges.h"
#include "agent/mailbox.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "units/duration.h"

namespace jettison {

// Where the files of one pod are, as values, so that the walk shares nothing with the loop.
struct DiskTask {
  std::string uid;
  PodDisk disk;
  DiskLimits limits;
};

// What measuring the disk use of all pods took.
struct WalkCost {
  Duration took{0};               // pauses included
  std::uint64_t directories = 0;  // read
  std::uint64_t trees = 0;        // walked whole
};

// Measures pods' disk use beside the loop, on a thread that stays behind ordinary ones and rests
// half of the time. While a disk is short it does not rest, and a second thread helps.
class DiskWalkThread : public DiskWalks {
 public:
  // `runtime` says where the files are; both must outlive this.
  DiskWalkThread(const ContainerRuntime& runtime, const Clock& clock);
  ~DiskWalkThread() override;

  void Start(std::span<const PodFacts* const> pods) override;
  // Whether a disk is short.
  void SetUrgent(bool urgent) override { pace_.SetUrgent(urgent); }
  [[nodiscard]] DiskUse LastKnown() override;
  void Forget(const std::string& pod_uid) override;
  // Readable when a walk is done.
  [[nodiscard]] int fd() const { return results_.fd(); }
  [[nodiscard]] std::vector<DiskUse> TakeResults() { return results_.TakeAll(); }
  // Of the walks whose results have been put.
  [[nodiscard]] std::vector<WalkCost> TakeCosts() { return costs_.TakeAll(); }
  // Sentences for the log.
  [[nodiscard]] std::vector<std::string> TakeNotes() { return notes_.TakeAll(); }

 private:
  void Walk(const std::vector<DiskTask>& tasks);
  [[nodiscard]] std::vector<std::size_t> OrderOf(const std::vector<DiskTask>& tasks) const;
  void Remember(const DiskTask& task, const PodDiskUse& use);

  const ContainerRuntime& runtime_;
  std::atomic<bool> cancelled_ = false;
  DiskPace pace_;
  std::atomic<std::uint64_t> directories_ = 0;  // read, ever
  Mailbox<DiskUse> results_;
  Mailbox<WalkCost> costs_;
  Mailbox<std::string> notes_;
  std::mutex mutex_;
  DiskUse known_;  // guarded by mutex_; by pod UID
  DiskMeasurer measurer_;                                    // of the walking thread
  std::map<std::string, DiskHistory, std::less<>> history_;  // the same; by pod UID
  bool helping_ = false;
  std::optional<BackgroundThread> helper_;  // null: there is one processor
  // The last member: it ends first.
  BackgroundThread thread_{{"disk-walk", "the disk use of pods is not measured"}};
};

}  // namespace jettison
