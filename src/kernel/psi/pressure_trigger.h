#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "core/model/pressure.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::psi {

// What a trigger waits for: stalls of `stall` in all within any `window`.
struct Stalls {
  StallKind kind = StallKind::kSome;
  std::chrono::microseconds stall{0};   // more than 0, at most `window`
  std::chrono::microseconds window{0};  // at most 10 s; before Linux 6.5 at least 500 ms
  friend bool operator==(const Stalls&, const Stalls&) = default;
};

// Has the kernel wake the agent when tasks are stalled for too long
// (Documentation/accounting/psi.rst, "Monitoring for pressure thresholds"). It fires at most once a
// window, while the stalls go on. Destroying it takes the trigger back.
class PressureTrigger {
 public:
  // The window that every process may have: without CAP_SYS_RESOURCE the kernel accepts only
  // multiples of two seconds (Linux 6.5; before, it accepts none) and checks that often.
  static constexpr std::chrono::microseconds kUnprivilegedWindow = std::chrono::seconds(2);
  // The window that every kernel accepts from a privileged process.
  static constexpr std::chrono::microseconds kOldWindow = std::chrono::milliseconds(500);

  // `file`: "/proc/pressure/memory", or a group's ("<group>/memory.pressure"). Where the window is
  // refused, the same stall is asked for within kOldWindow, if that is longer, and then within
  // kUnprivilegedWindow: that catches no less, only later. granted() says what came of it.
  //
  // kInvalidArgument where stall and window do not fit each other; kUnavailable where the kernel
  // has no pressure stall information, or there is no such group; kPermissionDenied where it gives
  // this process no trigger.
  [[nodiscard]] static Result<PressureTrigger> Open(const std::string& file, const Stalls& wanted);
  // The same, the file being one of an open directory.
  [[nodiscard]] static Result<PressureTrigger> Open(int directory, const std::string& file,
                                                    const Stalls& wanted);

  // Has the event POLLPRI when the stalls were reached, and POLLERR as well when its group is gone.
  // Polling takes the event in: there is nothing to read.
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const Stalls& granted() const { return granted_; }

 private:
  PressureTrigger(FileDescriptor fd, const Stalls& granted)
      : fd_(std::move(fd)), granted_(granted) {}

  FileDescriptor fd_;
  Stalls granted_;
};

}  // namespace jettison::psi
