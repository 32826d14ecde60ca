#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/pressure.h"
#include "core/model/summary.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

// Pressure stall information, as the kernel tells it (Documentation/accounting/psi.rst).

namespace jettison::psi {

// One line of a pressure file. The averages are shares of the last 10, 60 and 300 seconds in
// hundredths of a percent, 0 to 10000; `total` is the sum of all stalls in microseconds.
struct StallLine {
  std::int32_t avg10 = 0;
  std::int32_t avg60 = 0;
  std::int32_t avg300 = 0;
  std::uint64_t total = 0;
  friend bool operator==(const StallLine&, const StallLine&) = default;
};

// A pressure file: "some", at least one task waited, and "full", all that were not idle did.
struct Pressure {
  StallLine some;
  std::optional<StallLine> full;  // absent for the CPU before Linux 5.13
  friend bool operator==(const Pressure&, const Pressure&) = default;
};

// Understands the text of a pressure file. Lines and keys that are not known are passed over. Pure.
// kInternal where a line is cut off, stands there twice, lacks one of its four figures, or has one
// that the kernel would not write; never a zero.
[[nodiscard]] Result<Pressure> ParsePressure(std::string_view text);

// The same as the model has it; `time` is when it was read.
[[nodiscard]] PressureStats StatsOf(const Pressure& pressure, Instant time);

// Opens the directory of a group in the unified hierarchy, by its path from wherever the caller
// counts; kNotFound where there is no such group. On a hybrid host, too, pressure files are there
// and not beside the v1 controllers.
using GroupOpener = std::function<Result<FileDescriptor>(std::string_view group)>;

enum class PressureResource : bool { kMemory, kIo };

// Pressure of groups, or of the whole machine. Files are opened when first asked for and stay open;
// a group that was removed and made again under its name is opened anew. Reading again is one
// system call and allocates nothing. Used by one thread.
class PressureFiles {
 public:
  // memory.pressure and io.pressure of groups.
  explicit PressureFiles(GroupOpener open_group) : open_group_(std::move(open_group)) {}
  // `root`/pressure/memory and `root`/pressure/io; the only group is "".
  [[nodiscard]] static PressureFiles OfMachine(std::string root = "/proc");

  // What the kernel tells now. kUnavailable where it keeps no such figures (an old kernel, one
  // built or booted without PSI, a group with cgroup.pressure switched off); kNotFound where the
  // group is gone.
  [[nodiscard]] Result<Pressure> Read(std::string_view group, PressureResource resource);

  // Closes all files.
  void CloseAll() { files_ = {}; }
  [[nodiscard]] std::size_t open_files() const { return files_[0].size() + files_[1].size(); }

 private:
  [[nodiscard]] Result<FileDescriptor> OpenFile(std::string_view group,
                                                PressureResource resource) const;

  GroupOpener open_group_;
  bool of_machine_ = false;
  std::array<TextIndex<FileDescriptor>, 2> files_;  // of each resource, by group
};

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
  // `file`: "/proc/pressure/memory", or a group's ("<group>/memory.pressure"). Where the window is
  // refused, the same stall is asked for within kUnprivilegedWindow: that catches no less, only
  // later. granted() says what came of it. kUnavailable where the kernel has no pressure stall
  // information, or there is no such group; kPermissionDenied where it gives this process no
  // trigger.
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
