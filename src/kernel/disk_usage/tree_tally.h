#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "core/model/summary.h"
#include "kernel/disk_usage/directory_ledger.h"
#include "kernel/disk_usage/file_id.h"
#include "kernel/disk_usage/linked_shares.h"

namespace jettison::disk_usage {

// Adds up one tree. A file with several names counts where it is met first. Only so many such files
// are told apart; of further ones each name counts as its share.
class TreeTally : public DirectoryLedger {
 public:
  explicit TreeTally(std::size_t most_linked = kMostLinked) : most_linked_(most_linked) {}

  [[nodiscard]] DirectoryKey Enter(DirectoryKey /*parent*/, int /*directory*/) override {
    return 0;
  }
  void Add(DirectoryKey directory, const DirectorySum& part) override;
  // When the walk is over: both figures.
  [[nodiscard]] FsUsage usage() const {
    return {.used_bytes = bytes_ + shares_.bytes(), .inodes_used = inodes_ + shares_.inodes()};
  }

 private:
  static constexpr std::size_t kMostLinked = 200'000;  // 11 MB

  std::size_t most_linked_;
  std::uint64_t bytes_ = 0;
  std::uint64_t inodes_ = 0;
  std::unordered_set<FileId, FileIdHash> linked_;  // those that were counted
  LinkedShares shares_;                            // of the others
};

}  // namespace jettison::disk_usage
