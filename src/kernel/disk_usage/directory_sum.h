#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units/result.h"
#include "kernel/disk_usage/directory_entries.h"
#include "kernel/disk_usage/file_id.h"

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

}  // namespace jettison::disk_usage
