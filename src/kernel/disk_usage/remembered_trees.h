#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/disk_usage/file_status.h"
#include "kernel/disk_usage/tree_walk.h"
#include "ports/directory_change.h"

namespace jettison::disk_usage {

// One remembered directory. No name is kept: a directory is known by its handle, and opened by it.
struct RememberedDirectory {
  std::uint64_t bytes = 0;   // of itself and its files with one name
  std::uint32_t inodes = 0;  // the same
  std::uint32_t tree = 0;
  DirectoryKey parent = 0;  // 0: the top of its tree
  DirectoryKey first_child = 0;
  DirectoryKey next_sibling = 0;
  DirectoryKey previous_sibling = 0;  // so that leaving a wide directory takes no search
};

// Directories with their places in trees, by the keys of their handles.
class DirectoryTable {
 public:
  // Null where the directory is not known.
  [[nodiscard]] RememberedDirectory* Find(DirectoryKey key);
  // Null where there is one already.
  RememberedDirectory* Add(DirectoryKey key, DirectoryKey parent, std::uint32_t tree);
  [[nodiscard]] std::vector<DirectoryKey> ChildrenOf(DirectoryKey key);
  // Gives a directory another parent in the same tree. Returns false, and changes nothing, where
  // the new parent lies below the directory: what is remembered of the two is then out of date.
  [[nodiscard]] bool Move(DirectoryKey key, DirectoryKey parent);
  // Removes a directory with everything below it. Returns what was removed, each with its key.
  [[nodiscard]] std::vector<std::pair<DirectoryKey, RememberedDirectory>> Remove(DirectoryKey key);
  [[nodiscard]] std::size_t size() const { return directories_.size(); }

 private:
  // Makes a directory the first child of its parent.
  void Attach(DirectoryKey key, RememberedDirectory& directory);
  void Detach(const RememberedDirectory& directory);

  std::unordered_map<DirectoryKey, RememberedDirectory> directories_;
};

}  // namespace jettison::disk_usage

namespace jettison {

// The disk usage of trees of one file system. A tree is walked once; afterwards only directories in
// which something changed are read again. The caller finds out what changed (kernel/fs_events). A
// directory takes 89 bytes; its name is not kept.
//
// A tree is forgotten, so that the caller walks it again, when its figures may no longer be exact:
// its top is another directory, something could not be read, or something changed in a directory
// that holds one of several names of a file (the kernel does not report the directories of the
// others).
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
  [[nodiscard]] std::size_t directories() const { return table_.size(); }

 private:
  static constexpr std::size_t kMostDirectories = 200'000;  // 19 MB
  static constexpr std::size_t kMostLinked = 200'000;       // 8 MB
  // In all trees together; a tree with a change beyond these is forgotten.
  static constexpr std::size_t kMostMarked = 65'536;  // 9 MB

  struct Tree {
    const std::string* path = nullptr;  // its key in `ids_`
    disk_usage::DirectoryKey top = 0;
    int mount = 0;  // that the top is on
    std::uint64_t bytes = 0;
    std::uint64_t inodes = 0;
    // Files with several names that have been counted; empty once it is walked.
    std::unordered_set<disk_usage::FileId, disk_usage::FileIdHash> linked;
    disk_usage::LinkedShares shares;      // of the linked files for which `linked` has no room
    std::vector<DirectoryChange> marked;  // to be read again
    bool is_walked = false;               // whole
    bool exact = true;                    // false: to be forgotten
  };
  struct Parent {  // a directory that is read again
    Tree& tree;
    std::uint32_t id;
    int fd;
    disk_usage::DirectoryKey key;
    std::uint64_t device;
  };

  // What a walk calls that is recorded in a tree.
  [[nodiscard]] disk_usage::DirectoryCalls Record(Tree& tree, std::uint32_t id);
  void AddPart(Tree& tree, disk_usage::DirectoryKey key, const disk_usage::DirectorySum& part);
  void AddLinked(Tree& tree, const disk_usage::LinkedFile& file);
  void RemoveSubtree(Tree& tree, disk_usage::DirectoryKey key);
  [[nodiscard]] Result<void> RereadAll(Tree& tree, std::uint32_t id,
                                       std::span<const DirectoryChange> changes, TreeWalk& walk);
  [[nodiscard]] Result<void> ReadWhole(Tree& tree, int directory, std::uint64_t device,
                                       disk_usage::DirectorySum& sum, TreeWalk& walk);
  [[nodiscard]] Result<void> Reread(Tree& tree, std::uint32_t id, int directory,
                                    const DirectoryChange& change, TreeWalk& walk);
  [[nodiscard]] Result<void> CompareChildren(const Parent& parent,
                                             const std::string& subdirectories, TreeWalk& walk);
  [[nodiscard]] Result<void> AddChild(const Parent& parent, disk_usage::DirectoryKey key,
                                      const char* name, TreeWalk& walk);
  // Marks the tree to be forgotten. Always succeeds: the caller walks the tree again.
  [[nodiscard]] static Result<void> Lose(Tree& tree);

  std::size_t most_directories_;
  std::size_t most_linked_;
  disk_usage::DirectoryTable table_;
  std::uint32_t next_id_ = 1;
  std::unordered_map<std::uint32_t, Tree> trees_;
  std::unordered_map<std::string, std::uint32_t> ids_;        // by path
  std::unordered_set<disk_usage::DirectoryKey> with_linked_;  // that hold one of several names
  disk_usage::DirectoryEntries entries_;
};

}  // namespace jettison
