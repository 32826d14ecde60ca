#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/disk_usage/directory_sum.h"

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
  // How many directories were looked up, ever: a measure of the work, for tests.
  [[nodiscard]] std::uint64_t lookups() const { return lookups_; }

 private:
  // Makes a directory the first child of its parent.
  void Attach(DirectoryKey key, RememberedDirectory& directory);
  void Detach(const RememberedDirectory& directory);

  std::uint64_t lookups_ = 0;
  std::unordered_map<DirectoryKey, RememberedDirectory> directories_;
};

}  // namespace jettison::disk_usage
