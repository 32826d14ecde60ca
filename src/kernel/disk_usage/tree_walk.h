#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "kernel/disk_usage/directory_entries.h"
#include "kernel/disk_usage/directory_ledger.h"
#include "kernel/disk_usage/directory_stack.h"
#include "kernel/disk_usage/directory_sum.h"
#include "kernel/disk_usage/walk_options.h"
#include "ports/file_descriptor.h"

namespace jettison {

// How much of a tree could not be seen.
struct WalkErrors {
  std::uint64_t errors = 0;  // directories or files that could not be read: the figures lack them
  std::string first_error;   // what the first of them was; empty without errors
};

// What a tree occupies.
struct TreeUsage {
  FsUsage usage;             // both figures present
  std::uint64_t errors = 0;  // as in WalkErrors
  std::string first_error;
};

// Measures trees of files by walking them: bytes allocated on disk (st_blocks * 512, so a hole
// counts nothing) and inodes, the top directory included. Stays on the file system of the top and
// out of everything mounted below it, but enters subvolumes of a btrfs, whose space is the same;
// follows no symbolic link; a file that vanishes meanwhile counts nothing; a file with several hard
// links counts once in each tree, as du(1) does it.
class TreeWalk {
 public:
  explicit TreeWalk(WalkOptions options = {}) : options_(std::move(options)) {}

  // `path`: a directory, or a file (which is then the tree). kNotFound where it does not exist,
  // kUnavailable when cancelled; anything unreadable further down is counted in `errors`.
  [[nodiscard]] Result<TreeUsage> Measure(const std::string& path);
  // The same, telling `ledger` of each directory; of a file as part of no directory.
  [[nodiscard]] Result<WalkErrors> Survey(const std::string& path,
                                          disk_usage::DirectoryLedger& ledger);
  // The same for an open directory of the tree, whose parent `ledger` knows.
  [[nodiscard]] Result<WalkErrors> SurveyBelow(FileDescriptor directory,
                                               disk_usage::DirectoryKey parent,
                                               disk_usage::DirectoryLedger& ledger);

  // For a caller that reads directories of a tree itself, by the options of this walk: reports what
  // it has found, and may rest. False: the walk is cancelled.
  [[nodiscard]] bool Continue(std::uint64_t found_bytes, std::uint64_t found_inodes) const;

 private:
  [[nodiscard]] bool Cancelled() const {
    return options_.cancelled != nullptr && *options_.cancelled;
  }

  // Walks what is on the stack. Ends early when cancelled.
  void WalkDown();
  void Enter(const std::string& name);
  void CountUnread(const char* name);
  void ReadEntries();
  void Add(disk_usage::DirectoryKey key);  // what is in `sum_`
  void Report(std::uint64_t errors, const std::string& first);

  WalkOptions options_;
  // Of the walk that is under way.
  disk_usage::DirectoryLedger* ledger_ = nullptr;
  WalkErrors errors_;
  disk_usage::DirectoryEntries entries_;
  disk_usage::DirectoryStack stack_;
  disk_usage::DirectorySum sum_;
};

}  // namespace jettison
