#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "ports/file_descriptor.h"
#include "runtimes/process/runs/run_record.h"

namespace jettison::process {

// The id of the machine's current boot.
[[nodiscard]] Result<std::string> ReadBootId();

// What /proc/PID/stat tells of a process.
struct ProcessStat {
  char state = '?';              // 'Z': dead, not reaped
  pid_t parent = 0;              // 0: none that this process may see
  std::uint64_t start_time = 0;  // clock ticks since boot
};
// Absent where the text is not such a line. The command's name may hold anything.
[[nodiscard]] std::optional<ProcessStat> ParseProcessStat(std::string_view text);

// A handle of exactly that process; empty when it has ended. Fails where that cannot be told now.
[[nodiscard]] Result<FileDescriptor> OpenLiveProcess(const ProcessIdentity& identity,
                                                     std::string_view boot_id);

// Waits at most `timeout_ms` for the end of a process; whether it has ended.
[[nodiscard]] bool AwaitEnd(const FileDescriptor& pidfd, int timeout_ms);

// Ends a process through its handle and waits as long for its end; whether it has ended.
bool EndProcess(const FileDescriptor& pidfd, int timeout_ms);

}  // namespace jettison::process
