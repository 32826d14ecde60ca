#pragma once

#include <cstdint>
#include <utility>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// A registered wake-up for usage crossing a level, upwards or downwards (kernel:
// Documentation/admin-guide/cgroup-v1/memory.rst, "Memory thresholds"). Destroying it takes the
// registration back.
class MemcgThreshold {
 public:
  // `group`: an open directory in the memory hierarchy, which may be closed afterwards. The kernel
  // rounds the level down to a page. A level that usage has already passed does not fire: read
  // usage once more after registering. Blocks for 8 to 56 ms. kUnavailable where the kernel has no
  // cgroup.event_control; kNotFound where the group is gone.
  [[nodiscard]] static Result<MemcgThreshold> Register(int group, std::uint64_t level);

  // Readable once the level was crossed or the group removed, until Drain. Does not block.
  [[nodiscard]] int fd() const { return event_.get(); }
  // Takes in what was notified so far; whether there was anything.
  bool Drain();

 private:
  explicit MemcgThreshold(FileDescriptor event) : event_(std::move(event)) {}

  FileDescriptor event_;
};

}  // namespace jettison
