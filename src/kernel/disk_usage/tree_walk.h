#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "kernel/disk_usage/directory_stack.h"
#include "kernel/disk_usage/directory_sum.h"
#include "kernel/disk_usage/file_status.h"
#include "ports/file_descriptor.h"

namespace jettison {

// What a walk has found so far: never more than there is, since files with several names are left
// out. Safe on any thread.
struct WalkProgress {
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> inodes = 0;

  void Found(std::uint64_t more_bytes, std::uint64_t more_inodes) {
    bytes.fetch_add(more_bytes, std::memory_order_relaxed);
    inodes.fetch_add(more_inodes, std::memory_order_relaxed);
  }
};

// How a walk is cancelled, slowed down and observed.
struct WalkOptions {
  const std::atomic<bool>* cancelled = nullptr;  // the walk ends early when it becomes true
  // Called about every thousand files, and at least once a directory. It may sleep to slow the walk
  // down. May be empty.
  std::function<void()> breathe = nullptr;
  std::atomic<std::uint64_t>* directories = nullptr;  // counts those read, where it is not null
  WalkProgress* progress = nullptr;                   // counts what is found, where it is not null
};

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
  // The same, with calls for each directory; of a file as part of no directory.
  [[nodiscard]] Result<WalkErrors> Survey(const std::string& path,
                                          const disk_usage::DirectoryCalls& calls);
  // The same for an open directory of the tree, whose parent has been entered.
  [[nodiscard]] Result<WalkErrors> SurveyBelow(FileDescriptor directory,
                                               disk_usage::DirectoryKey parent,
                                               const disk_usage::DirectoryCalls& calls);

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
  const disk_usage::DirectoryCalls* calls_ = nullptr;
  WalkErrors errors_;
  disk_usage::DirectoryEntries entries_;
  disk_usage::DirectoryStack stack_;
  disk_usage::DirectorySum sum_;
};

}  // namespace jettison
