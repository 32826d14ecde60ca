#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "kernel/disk_usage/file_status.h"
#include "ports/file_descriptor.h"

namespace jettison::disk_usage {

// A file that has other names, which may lie in the same tree.
struct LinkedFile {
  FileId id;
  std::uint64_t bytes = 0;
  std::uint32_t links = 0;  // all its names, inside the tree or not
};

// What entries of one directory occupy, those of its subdirectories left out.
struct DirectorySum {
  std::uint64_t bytes = 0;         // of files with one name
  std::uint64_t inodes = 0;        // the same
  std::vector<LinkedFile> linked;  // files with several names, once for each name
  std::string subdirectories;      // names, each terminated by a zero; of this file system or not
  std::uint64_t errors = 0;        // entries that could not be looked at
  std::string first_error;

  // Empties it and keeps the memory.
  void Clear();
};

// Reads the next buffer of a directory's entries and adds them to `sum`; false at the end. A file
// that is a mount point is no part of the tree. Subdirectories are not judged.
[[nodiscard]] Result<bool> ReadSome(int directory, DirectoryEntries& entries, DirectorySum& sum);

// Identifies a directory of a walk. 0 stands for no directory.
using DirectoryKey = std::uint64_t;

// What a walk calls with what it finds.
struct DirectoryCalls {
  // When the walk has opened a directory. `parent` is the key of its parent, which was entered
  // before; 0 for the top of the tree. Returns the key of the directory.
  std::function<DirectoryKey(DirectoryKey parent, int directory)> enter;
  // With a part of what the directory holds: the directory itself, or some of its entries. The walk
  // handles `subdirectories` and errors itself.
  std::function<void(DirectoryKey directory, const DirectorySum& part)> add;
};

}  // namespace jettison::disk_usage

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
  // A directory on the way from the top down to the one that is being read. However deep that is,
  // only the top and the ones nearest to the current are open. One that was closed is opened again
  // as ".." of the one below it when the walk comes back.
  struct Level {
    FileDescriptor fd;   // empty while closed to save descriptors
    off_t position = 0;  // where to read on, while closed
    disk_usage::FileId id;
    disk_usage::DirectoryKey key = 0;
    bool is_read = false;  // all of its entries are
    std::string pending;   // directories in it that are to be entered: names that end with a zero
  };

  [[nodiscard]] bool Cancelled() const {
    return options_.cancelled != nullptr && *options_.cancelled;
  }
  void Push(FileDescriptor directory, const disk_usage::FileStatus& status,
            disk_usage::DirectoryKey key);
  void Pop();
  [[nodiscard]] static bool Reopen(Level& level, int below);
  // Walks what is on the way. Ends early when cancelled.
  void WalkDown();
  void Enter(const std::string& name);
  void CountUnread(const char* name);
  void ReadEntries();
  void Add(disk_usage::DirectoryKey key);  // what is in `sum_`
  void AddOne(disk_usage::DirectoryKey key, std::uint64_t bytes);
  void Report(std::uint64_t errors, const std::string& first);

  WalkOptions options_;
  // Of the walk that is under way.
  const disk_usage::DirectoryCalls* calls_ = nullptr;
  WalkErrors errors_;
  disk_usage::DirectoryEntries entries_;
  std::vector<Level> way_;
  disk_usage::DirectorySum sum_;
};

}  // namespace jettison
