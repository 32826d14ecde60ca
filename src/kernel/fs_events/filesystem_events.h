#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/units/result.h"
#include "ports/directory_change.h"
#include "ports/file_descriptor.h"

namespace jettison::fs_events {

// What buffers of events told.
struct EventRecords {
  std::vector<DirectoryChange> changes;  // each directory once, in the order of their first events
  std::unordered_map<std::uint64_t, std::size_t> places;  // in `changes`, by the directory's key
  std::size_t events = 0;                                 // in all buffers
  // Events were dropped because the queue was full, or a record could not be understood: any
  // directory may have changed.
  bool lost = false;
};

// Adds what read(2) of a group with FAN_REPORT_DIR_FID returned. Source: fanotify(7). Never reads
// outside the buffer, whatever the lengths in it say. The kernel calls the record of a directory
// DFID, or FID where the event is about a file in it.
void ParseEvents(std::span<const std::byte> buffer, EventRecords& records);

}  // namespace jettison::fs_events

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
// Linux 6.5 and later.
[[nodiscard]] bool KernelAnnouncesOverlayWrites();

}  // namespace jettison
