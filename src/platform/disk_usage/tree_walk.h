#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "model/summary.h"
#include "platform/disk_usage/directory_entries.h"
#include "platform/disk_usage/directory_stack.h"
#include "units/result.h"

namespace jettison {

// What a tree occupies, and how much of it could not be seen.
struct TreeUsage {
  FsUsage usage;             // both figures present
  std::uint64_t errors = 0;  // directories or files that could not be read: the figures lack them
  std::string first_error;   // what the first of them was; empty without errors
};

// Measures trees of files by walking them: bytes allocated on disk (st_blocks * 512, so a hole
// counts nothing) and inodes, the top directory included. Stays on the file system of the top and
// out of everything mounted below it; follows no symbolic link; a file that vanishes meanwhile
// counts nothing. Trees measured by the same object are taken as one: a file with several hard
// links counts where it is met first. Not for use by two threads at once.
class TreeWalk {
 public:
  // The walk ends early when `cancelled` (which must outlive this) becomes true.
  explicit TreeWalk(const std::atomic<bool>* cancelled = nullptr) : cancelled_(cancelled) {}

  // `path`: a directory, or a file (which is then the tree). kNotFound where it does not exist,
  // kUnavailable when cancelled; anything unreadable further down is counted in `errors`.
  [[nodiscard]] Result<TreeUsage> Measure(const std::string& path);

 private:
  struct FileId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const FileId&, const FileId&) = default;
  };
  struct HashFileId {
    std::size_t operator()(const FileId& id) const;
  };
  struct Found {  // one file, as statx(2) tells
    bool is_directory = false;
    bool is_mount_point = false;
    std::uint32_t links = 0;
    std::uint64_t bytes = 0;
    FileId id;
  };
  // A walk under way.
  struct Tally {
    std::uint64_t device = 0;
    std::uint64_t bytes = 0;
    std::uint64_t inodes = 0;
    std::uint64_t errors = 0;
    std::string first_error;
  };

  [[nodiscard]] static Result<Found> Look(int directory, const char* name, int flags);
  static void Report(const Error& error, Tally& tally);
  [[nodiscard]] bool Cancelled() const { return cancelled_ != nullptr && *cancelled_; }
  void Count(const Found& found, Tally& tally);
  void CountEntry(const char* name, Tally& tally);
  void Enter(const std::string& name, Tally& tally);
  void ReadSome(Tally& tally);
  [[nodiscard]] Result<void> Walk(Tally& tally);

  const std::atomic<bool>* cancelled_;
  disk_usage::DirectoryEntries entries_;
  disk_usage::DirectoryStack stack_;
  std::unordered_set<FileId, HashFileId> linked_;  // files with several links that were counted
};

}  // namespace jettison
