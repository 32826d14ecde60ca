#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/summary.h"
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
  void CloseAll() { files_.clear(); }
  [[nodiscard]] std::size_t open_files() const { return files_.size(); }

 private:
  // Ordered so that a look-up needs no copy of the path.
  struct Less {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return std::pair<PressureResource, std::string_view>(a.first, a.second) <
             std::pair<PressureResource, std::string_view>(b.first, b.second);
    }
  };
  using Files = std::map<std::pair<PressureResource, std::string>, FileDescriptor, Less>;

  [[nodiscard]] Result<FileDescriptor> OpenFile(std::string_view group,
                                                PressureResource resource) const;

  GroupOpener open_group_;
  bool of_machine_ = false;
  Files files_;
};

}  // namespace jettison::psi
