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
  // What has changed since the last Take.
  struct Changes {
    std::vector<DirectoryChange> directories;  // each once
    bool lost = false;  // the kernel could not keep all: any directory may have changed
  };

  // Begins with the file system that holds `path`. kPermissionDenied without CAP_SYS_ADMIN;
  // kUnavailable where the kernel or this file system cannot tell.
  [[nodiscard]] static Result<FilesystemEvents> Of(const std::string& path);

  // Whether `path` is on that file system and the kernel still reports its changes. The kernel
  // drops the mark with the last mount of the file system and does not restore it when the file
  // system is mounted again. After false, figures that were derived from earlier changes are out of
  // date.
  [[nodiscard]] bool Covers(const std::string& path) const;

  // Never waits. The result contains every change that was made before the call. Ends even if
  // changes never pause: those made during the call may be left for the next one.
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
