// links: jettison_fs_events
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "kernel/fs_events/event_records.h"

// Nothing outside the buffer is read, and every handle fits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  jettison::fs_events::EventRecords records;
  jettison::fs_events::ParseEvents(std::as_bytes(std::span(data, size)), records);
  for (const jettison::DirectoryChange& change : records.changes) {
    if (change.directory.size > jettison::FileHandle::kMaxBytes) std::abort();
    if (jettison::KeyOf(change.directory) == 0) std::abort();
  }
  return 0;
}
