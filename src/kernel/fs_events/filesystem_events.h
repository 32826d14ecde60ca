#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/units/result.h"
#include "ports/directory_change.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Changes in the directories of one file system, collected by the kernel until somebody asks.
class FilesystemEvents {
 public:
  // What has changed since the last question.
  struct Changes {
    std::vector<DirectoryChange> directories;  // each once
    bool lost = false;  // the kernel could not keep all: any directory may have changed
  };

  // Begins with the file system that holds `path`. kPermissionDenied without CAP_SYS_ADMIN;
  // kUnavailable where the kernel or this file system cannot tell.
  [[nodiscard]] static Result<FilesystemEvents> Of(const std::string& path);

  // Whether `path` is on that file system, and the mark still stands: it goes when the last mount
  // of the file system does, and does not come back with it. Then what is known of it is worth
  // nothing.
  [[nodiscard]] bool Covers(const std::string& path) const;

  // Never waits. What changed before the call is in it, at the latest.
  [[nodiscard]] Changes Take();

 private:
  explicit FilesystemEvents(FileDescriptor group) : group_(std::move(group)) {}

  FileDescriptor group_;
};

// Whether this kernel announces writes through an overlay on the file system of its upper layer:
// Linux 6.5 and later. `release` is that of uname(2).
[[nodiscard]] bool AnnouncesOverlayWrites(const std::string& release);
// The same for the running kernel.
[[nodiscard]] bool KernelAnnouncesOverlayWrites();

}  // namespace jettison
