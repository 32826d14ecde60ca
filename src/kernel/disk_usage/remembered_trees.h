#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/disk_usage/file_status.h"
#include "kernel/disk_usage/tree_walk.h"
#include "ports/directory_change.h"

namespace jettison {

// The disk usage of trees of one file system. A tree is walked once; afterwards only directories in
// which something changed are read again. The caller finds out what changed (kernel/fs_events). Of
// a directory its own sum is kept and which directories are in it, but no name: a directory is
// known by its handle, and opened by it.
//
// A tree is forgotten, so that the caller walks it again, when its figures may no longer be exact:
// its top is another directory, a directory was moved within it, something could not be read, or
// something changed in a directory that holds one of several names of a file (the kernel does not
// report the directories of the others).
class RememberedTrees {
 public:
  // At most `most_directories` are remembered, for all trees together. A tree that does not fit is
  // walked each time.
  // Of the files with several names in a tree so many are told apart, and count once; of further
  // ones each name counts as its share.
  explicit RememberedTrees(std::size_t most_directories = kMostDirectories,
                           std::size_t most_linked = kMostLinked)
      : most_directories_(most_directories), most_linked_(most_linked) {}

  // Walks `path` whole, as TreeWalk::Measure does, and remembers it if it can.
  [[nodiscard]] Result<TreeUsage> Walk(const std::string& path, TreeWalk& walk);
  // Keeps in mind that these directories have changed; directories of no remembered tree are
  // ignored. Reads no file.
  void Mark(std::span<const DirectoryChange> changes);
  // Reads the marked directories of a tree again, if it is remembered. Fails only when the walk is
  // cancelled; then the tree is forgotten.
  [[nodiscard]] Result<void> Update(const std::string& path, TreeWalk& walk);
  // What a remembered tree occupies, as of the last Walk or Update. Absent: it has to be walked.
  // The path is looked up, and the tree is forgotten if it is no longer the remembered one.
  [[nodiscard]] std::optional<FsUsage> UsageOf(const std::string& path);

  void Forget(const std::string& path);
  void ForgetAll();
  [[nodiscard]] std::size_t directories() const { return directories_.size(); }

 private:
  static constexpr std::size_t kMostDirectories = 200'000;  // 24 MB
  static constexpr std::size_t kMostLinked = 200'000;       // 8 MB
  // In all trees together; a tree with a change beyond these is forgotten.
  static constexpr std::size_t kMostMarked = 65'536;  // 9 MB

  struct Tree {
    disk_usage::DirectoryKey top = 0;
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
    std::vector<disk_usage::DirectoryKey> children;
  };

  // What a walk calls that is recorded in a tree.
  [[nodiscard]] disk_usage::DirectoryCalls Record(Tree& tree);
  void AddPart(Tree& tree, disk_usage::DirectoryKey key, const disk_usage::DirectorySum& part);
  void AddLinked(Tree& tree, const disk_usage::LinkedFile& file);
  // Takes a directory out, with everything below it.
  void Remove(Tree& tree, disk_usage::DirectoryKey key);
  // These read changed directories again. They fail when the walk is cancelled; where anything else
  // prevents it, the tree is no longer exact.
  [[nodiscard]] Result<void> RereadAll(Tree& tree, const std::string& path, TreeWalk& walk);
  [[nodiscard]] Result<void> Reread(Tree& tree, int directory, const DirectoryChange& change,
                                    TreeWalk& walk);
  [[nodiscard]] Result<void> ReadWhole(Tree& tree, int directory, disk_usage::DirectorySum& sum,
                                       TreeWalk& walk);
  [[nodiscard]] Result<void> RereadChildren(Tree& tree, int directory, disk_usage::DirectoryKey key,
                                            const std::string& names, TreeWalk& walk);
  [[nodiscard]] Result<void> AddChild(Tree& tree, int parent, disk_usage::DirectoryKey parent_key,
                                      const char* name, TreeWalk& walk);

  std::size_t most_directories_;
  std::size_t most_linked_;
  std::unordered_map<std::string, Tree> trees_;  // by path
  std::unordered_map<disk_usage::DirectoryKey, Directory> directories_;
  disk_usage::DirectoryEntries entries_;
};

}  // namespace jettison
