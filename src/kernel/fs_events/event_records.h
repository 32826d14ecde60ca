#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ports/directory_change.h"

namespace jettison::fs_events {

// What a buffer of events told.
struct EventRecords {
  std::vector<DirectoryChange> changes;  // one for each event, in order; a directory may recur
  // Events were dropped because the queue was full, or a record could not be understood: any
  // directory may have changed.
  bool lost = false;
};

// Adds what read(2) of a group with FAN_REPORT_DIR_FID returned. Source: fanotify(7). Never reads
// outside the buffer, whatever the lengths in it say. The kernel calls the record of a directory
// DFID, or FID where the event is about a file in it.
void ParseEvents(std::span<const std::byte> buffer, EventRecords& records);

}  // namespace jettison::fs_events
