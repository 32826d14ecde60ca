#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/files/paths.h"
#include "ports/file_descriptor.h"
#include "runtimes/process/runs/run_record.h"

namespace jettison::process {

// Which run of which container.
struct RunName {
  std::string pod_uid;
  std::string container;
  int attempt = 0;
};

enum class RunState : std::uint8_t {
  kNeverRan,  // its program was not let go, or could not be executed
  kRunning,
  kEnded,
  kLost,     // it ran, nobody runs it any more, and how it ended is not written down
  kUnknown,  // what would tell cannot be read or is damaged
};

// One run of a container, as its folder tells it.
struct FoundRun {
  std::string container;
  int attempt = 0;
  RunState state = RunState::kNeverRan;
  std::optional<RunRecord> record;  // absent where it is missing or damaged
  std::optional<ExitRecord> exit;   // of a run that ended
  FileDescriptor shim;              // handle of a shim that lives
  std::string fault;                // what is damaged or cannot be read; empty: nothing
  bool passing = false;             // it cannot be read just now, and is not damaged
};

// How a run stands. A shim that ends meanwhile is seen as alive or as ended, never as lost; one of
// which something cannot be read is neither.
[[nodiscard]] FoundRun ReadRun(const kernel::Paths& paths, const RunName& name,
                               std::string_view boot_id);

// How a run stands whose shim has ended: by its exit record alone, and lost without one. Whoever
// waits for the end of a run must not read more: the disk may be slow just then.
[[nodiscard]] FoundRun ReadEnd(const std::string& run_dir);

// Every run of a pod, by container and attempt, none where there is no folder of them; fails where
// one cannot be listed.
[[nodiscard]] Result<std::vector<FoundRun>> ReadRuns(const kernel::Paths& paths,
                                                     std::string_view uid,
                                                     std::string_view boot_id);

// For each run of one container, in the order of attempts: whether the kernel's OOM killer struck
// in the container's group while it lasted. `now` is the group's counter.
[[nodiscard]] std::vector<bool> OomKilled(const std::vector<const FoundRun*>& runs,
                                          std::uint64_t now);

// What is written down for a run that was lost: killed, exit code 137, its end seen at `now`.
[[nodiscard]] ExitRecord LostRun(WallTime started, WallTime now);
// Where the end of a run is written down.
[[nodiscard]] std::string ExitFileOf(const std::string& run_dir);

}  // namespace jettison::process
