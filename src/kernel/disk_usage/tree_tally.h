#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "core/model/summary.h"
#include "kernel/disk_usage/directory_ledger.h"
#include "kernel/disk_usage/file_id.h"

namespace jettison::disk_usage {

// Adds up one tree. A file with several names counts where it is met first.
class TreeTally : public DirectoryLedger {
 public:
  [[nodiscard]] DirectoryKey Enter(DirectoryKey /*parent*/, int /*directory*/) override {
    return 0;
  }
  void Add(DirectoryKey directory, const DirectorySum& part) override;
  // When the walk is over: both figures.
  [[nodiscard]] FsUsage usage() const { return {.used_bytes = bytes_, .inodes_used = inodes_}; }

 private:
  std::mutex mutex_;  // guards what follows, during a walk
  std::uint64_t bytes_ = 0;
  std::uint64_t inodes_ = 0;
  std::unordered_set<FileId, FileIdHash> linked_;  // those that were counted
};

}  // namespace jettison::disk_usage
