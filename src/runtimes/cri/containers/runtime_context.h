#pragma once

#include <unistd.h>

#include <memory>
#include <string>

#include "core/units/once.h"
#include "pods/run_dependencies.h"
#include "rpc/calls.h"
#include "runtimes/cri/containers/cri_options.h"
#include "runtimes/cri/containers/systemd_slices.h"

namespace jettison::cri {

// What every part of the runtime works with. One instance, owned by the runtime.
struct RuntimeContext : PodDependencies {
  CriRuntimeOptions options;
  Calls& calls;
  // Null where control groups are folders and no more.
  std::shared_ptr<const Slices> slices;
  // For saying that a record of a pod could not be written.
  Once said_no_records;
  // Something failed: what the runtime has must be compared with what is known.
  bool relist_wanted = false;

  void WantRelist() {
    relist_wanted = true;
    if (!taking) readiness.Wake();
  }
};

// Where a pod is written down, for an agent after this one.
[[nodiscard]] inline std::string RecordFile(const RuntimeContext& context, const std::string& uid) {
  return context.paths.Pod(uid) + "/record";
}
// Without its record, no later agent takes the pod over.
inline void RemoveRecord(RuntimeContext& context, const std::string& uid) {
  context.disk.Do([file = RecordFile(context, uid)]() -> Result<void> {
    (void)::unlink(file.c_str());
    return {};
  });
}

}  // namespace jettison::cri
