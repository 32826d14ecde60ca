#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "kernel/disk_usage/file_status.h"

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
  void Report(const Error& error);
};

// Reads the next buffer of a directory's entries and adds them to `sum`; false at the end. A file
// on another device than `device`, the directory's, or one that is a mount point, is no part of the
// tree. Subdirectories are not judged.
[[nodiscard]] Result<bool> ReadSome(int directory, std::uint64_t device, DirectoryEntries& entries,
                                    DirectorySum& sum);

// Calls `use` with each of the names in `subdirectories`.
template <typename Use>
void ForEachName(const std::string& subdirectories, const Use& use) {
  const char* name = subdirectories.c_str();
  const char* const end = name + subdirectories.size();
  for (; name != end; name += std::char_traits<char>::length(name) + 1) use(name);
}

// Files with several names which are not told apart. Each name counts as its share of the file, so
// a file counts once if all its names are in the tree, and in part otherwise. Takes no memory for
// each file.
class LinkedShares {
 public:
  // Adds one name; `links` of the file is not 0.
  void Add(const LinkedFile& file) {
    bytes_ += static_cast<double>(file.bytes) / file.links;
    inodes_ += 1.0 / file.links;
  }
  [[nodiscard]] std::uint64_t bytes() const { return Whole(bytes_); }
  [[nodiscard]] std::uint64_t inodes() const { return Whole(inodes_); }

 private:
  [[nodiscard]] static std::uint64_t Whole(double sum) {
    return static_cast<std::uint64_t>(std::llround(sum));
  }

  double bytes_ = 0;
  double inodes_ = 0;
};

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
