#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units/once.h"
#include "kernel/files/paths.h"
#include "kernel/readiness/readiness.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/group_end.h"
#include "rpc/calls.h"
#include "runtimes/cri/base/cri_options.h"
#include "kernel/processes/processes.h"
#include "runtimes/cri/host/slices.h"

namespace jettison::cri {

// What every part of the runtime works with. One instance, owned by the runtime.
struct Surroundings {
  CriRuntimeOptions options;
  pod_host::Paths paths;
  Calls& calls;
  Processes& processes;
  Cgroups& cgroups;
  GroupEnd& group_end;
  const Clock& clock;
  pod_host::Readiness& readiness;
  std::vector<RuntimeEvent> events;
  // Null where control groups are folders and no more.
  Slices* slices = nullptr;
  // Whoever holds a copy waits for a call that makes something, and that would leave it half made
  // if it were cut short.
  std::shared_ptr<const bool> making = std::make_shared<const bool>(true);
  // The agent is about to end: nothing more is begun.
  bool draining = false;
  // The events are being collected: what is emitted now needs no wake-up.
  bool taking = false;
  // For saying that a record of a pod could not be written.
  Once said_no_records;
  // Something did not go as it should: what the runtime has is to be compared with what is known.
  bool relist_wanted = false;

  void Emit(RuntimeEvent event) {
    events.push_back(std::move(event));
    if (!taking) readiness.Wake();
  }
  void WantRelist() {
    relist_wanted = true;
    if (!taking) readiness.Wake();
  }
  void Log(std::string_view message) const {
    if (options.log) options.log(message);
  }
  // Says so when an operation failed for another reason than that its object is gone.
  template <typename T>
  void LogFailure(std::string_view what, const Result<T>& result) const {
    if (!result && result.error().code != ErrorCode::kNotFound) {
      Log(result.error().In(what).message);
    }
  }
};

// Where a pod is written down, for an agent after this one.
[[nodiscard]] std::string RecordFile(const Surroundings& surroundings, const std::string& uid);

}  // namespace jettison::cri
