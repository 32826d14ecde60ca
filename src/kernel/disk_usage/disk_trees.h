#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "kernel/disk_usage/file_status.h"
#include "ports/directory_change.h"
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

// How many directories of trees are remembered, and how many files with several names are told
// apart in one.
struct TreeLimits {
  std::size_t directories = 200'000;  // 24 MB
  std::size_t linked = 200'000;       // 8 MB
};

// What a tree occupies.
struct TreeUsage {
  FsUsage usage;             // both figures present
  std::uint64_t errors = 0;  // directories or files that could not be read: the figures lack them
  std::string first_error;   // what the first of them was; empty without errors
};

// Measures trees of files by walking them: bytes allocated on disk (st_blocks * 512, so a hole
// counts nothing) and inodes, the top directory included. A walk stays on the file system of the
// top and out of everything mounted below it, but enters subvolumes of a btrfs, whose space is the
// same; it follows no symbolic link; a file that vanishes meanwhile counts nothing; a file with
// several hard links counts once in each tree, as du(1) does it.
//
// Trees of one file system can be remembered: afterwards only directories in which something
// changed are read again. The caller finds out what changed (kernel/fs_events). Of a directory its
// own sum is kept and which directories are in it, but no name: a directory is known by its handle,
// and opened by it. A tree is forgotten, so that the caller walks it again, when its figures may no
// longer be exact: its top is another directory, a directory was moved within it, something could
// not be read, or something changed in a directory that holds one of several names of a file (the
// kernel does not report the directories of the others).
class DiskTrees {
 public:
  // Remembers nothing.
  explicit DiskTrees(WalkOptions options = {})
      : DiskTrees(std::move(options), {.directories = 0}) {}
  // A tree that does not fit is walked each time. Of files with several names beyond the limit each
  // name counts as its share.
  DiskTrees(WalkOptions options, const TreeLimits& limits)
      : options_(std::move(options)), limits_(limits) {}

  // Walks `path` whole, and remembers it if it can. `path`: a directory, or a file (which is then
  // the tree). kNotFound where it does not exist, kUnavailable when cancelled; anything unreadable
  // further down is counted in `errors`.
  [[nodiscard]] Result<TreeUsage> Walk(const std::string& path);
  // Keeps in mind that these directories have changed; directories of no remembered tree are
  // ignored. Reads no file.
  void Mark(std::span<const DirectoryChange> changes);
  // Reads the marked directories of a tree again, if it is remembered. Fails only when the walk is
  // cancelled; then the tree is forgotten.
  [[nodiscard]] Result<void> Update(const std::string& path);
  // What a remembered tree occupies, as of the last Walk or Update. Absent: it has to be walked.
  // The path is looked up, and the tree is forgotten if it is no longer the remembered one.
  [[nodiscard]] std::optional<FsUsage> UsageOf(const std::string& path);
  void Forget(const std::string& path);
  void ForgetAll();
  [[nodiscard]] std::size_t directories() const { return directories_.size(); }

 private:
  // Of a directory's handle; 0: it is not remembered.
  using Key = std::uint64_t;
  // In all trees together; a tree with a change beyond these is forgotten.
  static constexpr std::size_t kMostMarked = 65'536;  // 9 MB
  struct Tree {
    Key top = 0;
    int mount = 0;  // that the top is on
    std::uint64_t bytes = 0;
    std::uint64_t inodes = 0;
    // Files with several names that have been counted; empty once it is walked.
    std::unordered_set<disk_usage::FileId, disk_usage::FileIdHash> linked;
    // Of the linked files for which `linked` has no room: a file counts once if all its names are
    // in the tree, and in part otherwise.
    double shared_bytes = 0;
    double shared_inodes = 0;
    std::vector<DirectoryChange> marked;  // to be read again
    bool is_walked = false;               // whole
    bool exact = true;                    // false: to be forgotten
  };
  struct Directory {
    Tree* tree = nullptr;
    std::uint64_t bytes = 0;   // of itself and its files with one name
    std::uint32_t inodes = 0;  // the same
    bool has_linked = false;   // it holds one of several names of a file
    std::vector<Key> children;
  };
  // A directory on the way from the top down to the one that is being read. However deep that is,
  // only the top and the ones nearest to the current are open. One that was closed is opened again
  // as ".." of the one below it when the walk comes back.
  struct Level {
    FileDescriptor fd;   // empty while closed to save descriptors
    off_t position = 0;  // where to read on, while closed
    disk_usage::FileId id;
    Key key = 0;
    bool is_read = false;  // all of its entries are
    std::string pending;   // directories in it that are to be entered: names that end with a zero
  };
  // The remembered directory at the top of the way that is read again, with what was in it before,
  // in order, and which of that still is.
  struct Reread {
    bool subdirectories = false;  // what is in it may have changed
    std::vector<Key> before;
    std::unordered_set<Key> now;
    std::size_t looked_up = 0;
  };

  [[nodiscard]] bool Cancelled() const {
    return options_.cancelled != nullptr && *options_.cancelled;
  }
  [[nodiscard]] Result<void> WalkFrom(FileDescriptor directory);
  [[nodiscard]] Result<void> CountUnopened(const std::string& path, const Error& reason);
  // These walk what is on the way.
  void WalkDown();
  void ReadEntries();
  void Enter(const std::string& name);
  void CountUnread(const char* name);
  void Push(FileDescriptor directory, const disk_usage::FileStatus& status, Key parent);
  void Pop();
  [[nodiscard]] static bool Reopen(Level& level, int below);
  void Report(const std::string& error);

  [[nodiscard]] Key Remember(int directory, Key parent);
  void Count(Key directory, std::uint64_t bytes, std::uint32_t inodes);
  void CountLinked(Key directory, const disk_usage::FileStatus& file);
  // Takes a directory out of the present tree, with everything below it.
  void Remove(Key key);

  // These read changed directories of the present tree again. They fail when the walk is cancelled;
  // where anything else prevents it, the tree is no longer exact.
  [[nodiscard]] Result<void> ReadMarked(const std::string& path);
  [[nodiscard]] Result<void> ReadAgain(FileDescriptor directory, const DirectoryChange& change);
  // Whether the directory that is being read is the one that is read again.
  [[nodiscard]] bool IsReadAgain() const { return reread_ && way_.size() == 1; }
  // Whether the directory of this name in it was there before, or is to be left out.
  [[nodiscard]] bool IsKnown(int directory, const std::string& name);

  WalkOptions options_;
  TreeLimits limits_;
  std::unordered_map<std::string, Tree> trees_;  // by path
  std::unordered_map<Key, Directory> directories_;
  disk_usage::DirectoryEntries entries_;
  // Of the walk that is under way.
  Tree* tree_ = nullptr;
  TreeUsage seen_;  // its errors
  std::vector<Level> way_;
  std::optional<Reread> reread_;
};

}  // namespace jettison
