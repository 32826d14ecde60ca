#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::process {

// A process for good: its pid may come again, the three together never do.
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot, /proc/PID/stat field 22
  std::string boot_id;           // /proc/sys/kernel/random/boot_id
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// What a shim wrote down before its container could run (file `running`).
struct RunRecord {
  ProcessIdentity shim;
  pid_t container = 0;  // a child of the shim
  WallTime created;
  std::uint64_t oom_kills = 0;  // of the container's group before this run
  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

enum class RunOutcome : std::uint8_t {
  kExited,
  kFailed,  // the program could not be started
  kLost,    // nobody saw the end: the shim was gone before its container
};

// The last word on a run (file `exit`).
struct ExitRecord {
  RunOutcome outcome = RunOutcome::kExited;
  int code = 0;
  int signal = 0;
  WallTime started;
  WallTime finished;
  std::uint64_t lost_log_bytes = 0;  // output that found no room on the disk
  friend bool operator==(const ExitRecord&, const ExitRecord&) = default;
};

// Read and write the files' text: a title line, then one "key value" line each, in fixed order.
// Anything else is refused.
[[nodiscard]] Result<RunRecord> ParseRunRecord(std::string_view text);
[[nodiscard]] Result<ExitRecord> ParseExitRecord(std::string_view text);
[[nodiscard]] std::string FormatExitRecord(const ExitRecord& record);

// The id of the machine's current boot.
[[nodiscard]] Result<std::string> ReadBootId();

// A handle of exactly that process; empty when it has ended. Fails where that cannot be told now.
[[nodiscard]] Result<FileDescriptor> OpenLiveProcess(const ProcessIdentity& identity,
                                                     std::string_view boot_id);

}  // namespace jettison::process
