#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The name that a log gets when it is rotated: its own and the time, UTC, "0.log.20060102-150405",
// given all names in the folder: the newest has the last name even where the clock was set back
// since another was rotated.
[[nodiscard]] std::string NextRotatedName(const std::vector<std::string>& names,
                                          std::string_view log, WallTime now);

// What is to be done with the rotated files of one log.
struct LogTidying {
  std::vector<std::string> remove;
  std::vector<std::string> compress;  // each becomes <name>.gz, by way of <name>.tmp
  friend bool operator==(const LogTidying&, const LogTidying&) = default;
};

// Of the names in a folder those of the rotated files of `log` count, in the order of their times;
// a name without a time is none.
// With the log itself at most `max_files` stay; files that were being written when their agent
// ended, and those that are there compressed, too, go. All but the newest, into which the container
// may still be writing, are to be compressed. (kubelet: cleanupUnusedLogs, removeExcessLogs)
[[nodiscard]] LogTidying PlanTidying(const std::vector<std::string>& names, const std::string& log,
                                     int max_files);

// Does that. A compressed file is in gzip's format and has the mode of the one that it replaces;
// what cannot be compressed stays as it is.
[[nodiscard]] Result<void> Tidy(const std::string& folder, const LogTidying& plan);

}  // namespace jettison
