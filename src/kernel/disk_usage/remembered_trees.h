#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/disk_usage/directory_sum.h"
#include "kernel/disk_usage/directory_table.h"
#include "kernel/disk_usage/file_status.h"
#include "kernel/disk_usage/tree_walk.h"
#include "ports/directory_change.h"

namespace jettison {

// The disk usage of trees of one file system. A tree is walked once; afterwards only directories in
// which something changed are read again. The caller finds out what changed (kernel/fs_events). A
// directory takes 89 bytes; its name is not kept.
//
// A tree is forgotten, so that the caller walks it again, when its figures may no longer be exact:
// its top is another directory, something could not be read, or a file in it got a second name (the
// kernel does not report the directory of the first name).
class RememberedTrees {
 public:
  // At most `most_directories` are remembered, for all trees together: directories, and names of
  // files that have several. A tree that does not fit is walked each time.
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
  static constexpr std::size_t kMostLinked = 200'000;       // 13 MB
  // In all trees together; a tree with a change beyond these is forgotten.
  static constexpr std::size_t kMostMarked = 65'536;  // 9 MB

  struct LinkedInode {
    std::uint64_t bytes = 0;
    std::uint32_t names = 0;  // in this tree
    std::uint32_t links = 0;  // wherever
  };
  struct Tree {
    const std::string* path = nullptr;  // its key in `ids_`
    disk_usage::DirectoryKey top = 0;
    int mount = 0;  // that the top is on
    std::uint64_t bytes = 0;
    std::uint64_t inodes = 0;
    std::unordered_map<disk_usage::FileId, LinkedInode, disk_usage::FileIdHash> linked;
    disk_usage::LinkedShares shares;  // of the linked files for which `linked` has no room
    std::vector<disk_usage::FileId> fresh_links;  // that were not in `linked` before
    std::vector<DirectoryChange> marked;          // to be read again
    bool exact = true;                            // false: to be forgotten
  };
  struct Parent {  // a directory that is read again
    Tree& tree;
    std::uint32_t id;
    int fd;
    disk_usage::DirectoryKey key;
    std::uint64_t device;
  };

  [[nodiscard]] bool HasRoomFor(std::size_t more) const {
    return table_.size() + linked_names_ + more <= most_directories_;
  }
  // What a walk calls that is recorded in a tree.
  [[nodiscard]] disk_usage::DirectoryCalls Record(Tree& tree, std::uint32_t id);
  void AddPart(Tree& tree, disk_usage::DirectoryKey key, const disk_usage::DirectorySum& part);
  void AddLinked(Tree& tree, const disk_usage::LinkedFile& file);
  [[nodiscard]] std::vector<disk_usage::FileId> TakeLinkedIn(disk_usage::DirectoryKey key);
  static void Release(Tree& tree, const std::vector<disk_usage::FileId>& files);
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
  std::unordered_map<std::string, std::uint32_t> ids_;  // by path
  // Files with several names, by the directory that holds such a name.
  std::unordered_map<disk_usage::DirectoryKey, std::vector<disk_usage::FileId>> linked_in_;
  std::size_t linked_names_ = 0;
  disk_usage::DirectoryEntries entries_;
};

}  // namespace jettison
