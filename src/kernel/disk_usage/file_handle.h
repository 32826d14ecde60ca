#pragma once

#include "core/units/result.h"
#include "ports/directory_change.h"
#include "ports/file_descriptor.h"

namespace jettison::disk_usage {

// A file's handle with the mount it was found on (statx's old mount id).
struct HandleOnMount {
  FileHandle handle;
  int mount = 0;
};

// The handle of an open file, or of a path. kUnavailable where the file system has none.
[[nodiscard]] Result<HandleOnMount> HandleOf(int fd);
[[nodiscard]] Result<HandleOnMount> HandleOf(int directory, const char* name);

// Opens the directory that a handle names, as part of the mount that `mount_fd` (any open file) is
// on. kNotFound where it has gone; kPermissionDenied without CAP_DAC_READ_SEARCH.
[[nodiscard]] Result<FileDescriptor> OpenDirectoryByHandle(int mount_fd, const FileHandle& handle);

}  // namespace jettison::disk_usage
