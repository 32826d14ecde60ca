#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units/once.h"
#include "kernel/files/paths.h"
#include "kernel/readiness/disk_work.h"
#include "kernel/readiness/readiness.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/group_end.h"
#include "ports/system_error.h"
#include "runtimes/process/runs/process_options.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison::process {

// What every part of the runtime works with. One instance, owned by the runtime.
struct RuntimeContext {
  ProcessRuntimeOptions options;
  kernel::Paths paths;
  std::string boot_id;
  Cgroups& cgroups;
  GroupEnd& group_end;
  const Clock& clock;
  kernel::Readiness& readiness;
  // For files of this agent.
  kernel::DiskWork disk;
  std::vector<RuntimeEvent> events;
  // The events are being collected, so an event that is emitted now needs no wake-up.
  bool taking = false;
  Once oom_score_adj_refused;
  // Shims that have been killed and have not ended yet. Nobody waits for them.
  std::vector<ShimProcess> ending_shims;

  void Emit(RuntimeEvent event) {
    events.push_back(std::move(event));
    if (!taking) readiness.Wake();
  }
  void Log(std::string_view message) const {
    if (options.log) options.log(message);
  }
  // Logs the failure of an operation, unless the object of the operation is gone.
  void LogFailure(std::string_view what, const Result<void>& result) const {
    if (!result && result.error().code != ErrorCode::kNotFound) {
      Log(result.error().In(what).message);
    }
  }
  // Said once: it is the same for every container.
  void NoteRefusedOomScoreAdj(int errno_value) {
    if (!oom_score_adj_refused.Take()) return;
    Log(SystemError(errno_value,
                    "oom_score_adj cannot be lowered without CAP_SYS_RESOURCE; containers keep the "
                    "nearest value that is allowed")
            .message);
  }
};

}  // namespace jettison::process
