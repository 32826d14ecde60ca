#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

// Directories and files of control groups of either version, always relative to an open directory.
// cgroupfs holds no symbolic links and the paths are checked to stay below, so a path cannot lead
// elsewhere.

namespace jettison::kernel {

// Fails with kInvalidArgument unless `path` is "" or names joined by single slashes, none of them
// "." or "..".
[[nodiscard]] Result<void> CheckPath(std::string_view path);

// Opens the group `path` below `root`; "" is `root` itself. kNotFound where it does not exist.
[[nodiscard]] Result<FileDescriptor> OpenGroup(int root, std::string_view path);

// Opens a file of a group for reading.
[[nodiscard]] Result<FileDescriptor> OpenFile(int group, const char* file);

// Opens a file of a group for writing.
[[nodiscard]] Result<FileDescriptor> OpenFileToWrite(int group, const char* file);

// The file's text, freshly opened. cgroup.procs must be read so: the kernel keeps the list it once
// made for an open file (cgroup_pidlist_start in kernel/cgroup/cgroup-v1.c).
[[nodiscard]] Result<std::string> ReadFile(int group, const char* file);
// The same of the group `path` below `root`.
[[nodiscard]] Result<std::string> ReadFileOf(int root, std::string_view path, const char* file);

// The text of a kept-open file from its start, in one read into `buffer` and without allocating.
// Fails where the text fills the buffer and so might be cut off.
[[nodiscard]] Result<std::string_view> ReadKept(int fd, std::span<char> buffer);

// Writes `text` in one write.
[[nodiscard]] Result<void> WriteFile(int group, const char* file, std::string_view text);

// Names of the groups directly below, in the directory's order.
[[nodiscard]] Result<std::vector<std::string>> Subgroups(int group);

// The functions that VisitGroups calls. An empty one is not called.
struct GroupVisit {
  // Called with each open group, before the groups below it.
  std::function<Result<void>(int group)> enter = nullptr;
  // Called with each group except the top, after the groups below it. `group` and `parent`, which
  // contains it, are open directories.
  std::function<Result<void>(int parent, const std::string& name, int group)> leave = nullptr;
};

// Visits the open group and all groups below it. A pod may nest its groups to any depth, so at most
// kOpenGroups descriptors are open, beside two for listing, and the stack does not grow. A group
// that vanishes meanwhile is left out. The first failure ends the visit.
inline constexpr std::size_t kOpenGroups = 8;
[[nodiscard]] Result<void> VisitGroups(int top, const GroupVisit& visit);

// Makes the group and its missing ancestors, below `root`. A group that exists is no error.
// `before`, unless it is empty, is called with each group before one below it is made.
[[nodiscard]] Result<void> MakeGroups(int root, std::string_view path,
                                      const std::function<Result<void>(int above)>& before = {});

}  // namespace jettison::kernel
