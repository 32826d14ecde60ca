#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ports/directory_change.h"

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

// Fills a buffer with events, as read(2) does it for a group that does not block: returns the bytes
// written, or -1 with errno.
using ReadEvents = std::function<ssize_t(std::span<std::byte>)>;

// Reads at least `queued` events, and ends earlier where there are no more or some were lost. It
// ends whatever is added to the queue meanwhile: later events may be left for the next call.
[[nodiscard]] EventRecords TakeEvents(std::size_t queued, const ReadEvents& read);

}  // namespace jettison::fs_events
