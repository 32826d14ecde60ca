// links: jettison_fs_events
#include <span>

#include "fuzz/fuzz.h"
#include "kernel/fs_events/filesystem_events.h"

// Nothing outside the buffer is read, and every handle fits.
void Fuzz(std::string_view text) {
  jettison::fs_events::EventRecords records;
  jettison::fs_events::ParseEvents(std::as_bytes(std::span(text)), records);
  for (const jettison::DirectoryChange& change : records.changes) {
    if (change.directory.size > jettison::FileHandle::kMaxBytes) std::abort();
    if (jettison::KeyOf(change.directory) == 0) std::abort();
  }
}
