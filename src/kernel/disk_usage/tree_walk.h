#pragma once

#include <cstdint>
#include <string>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "kernel/disk_usage/directory_ledger.h"
#include "kernel/disk_usage/shared_work.h"
#include "kernel/disk_usage/walk_options.h"
#include "kernel/disk_usage/walker.h"
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
//
// One thread measures, one tree after the other. Others may help: they take subtrees of whatever is
// being measured.
class TreeWalk {
 public:
  explicit TreeWalk(WalkOptions options = {});
  TreeWalk(const TreeWalk&) = delete;
  TreeWalk& operator=(const TreeWalk&) = delete;

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

  // Helps, on the calling thread, until Close.
  void Help();
  // Makes each helper return when it has finished its subtree. Every helper must have returned
  // before this object is destroyed.
  void Close() { work_.Close(); }

 private:
  [[nodiscard]] bool Cancelled() const {
    return options_.cancelled != nullptr && *options_.cancelled;
  }

  WalkOptions options_;
  disk_usage::SharedWork work_;
  disk_usage::Walker walker_;  // of the thread that measures
};

}  // namespace jettison
