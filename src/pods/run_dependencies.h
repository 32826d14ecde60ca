#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/choices.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/files/paths.h"
#include "kernel/processes/processes.h"
#include "kernel/readiness/disk_work.h"
#include "kernel/readiness/readiness.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"

namespace jettison {

// What the classes that watch running containers need, and where they report events. One instance
// for each event loop.
struct RunDependencies {
  Processes& processes;
  Cgroups& cgroups;
  GroupEnd& group_end;
  const Clock& clock;
  kernel::Readiness& readiness;
  // How long a keeper of containers may take to answer before a call counts as failed.
  Duration request_timeout = std::chrono::minutes(2);
  // Receives a message about a fault that has no consequences yet: one sentence without a line
  // feed.
  std::function<void(std::string_view)> log = {};
  std::vector<RuntimeEvent> events = {};
  bool hidden_logged = false;
  // The events are being collected, so an event that is emitted now needs no wake-up.
  bool taking = false;

  void Emit(RuntimeEvent event) {
    events.push_back(std::move(event));
    if (!taking) readiness.Wake();
  }
  void RefuseStart(const std::string& pod_uid, const std::string& container, int attempt, Error why,
                   StartFailure failure = StartFailure::kCreate) {
    Emit(ContainerStartFailed{.pod_uid = pod_uid,
                              .container = container,
                              .attempt = attempt,
                              .failure = failure,
                              .error = std::move(why)});
  }
  void LogHidden() {
    if (std::exchange(hidden_logged, true)) return;
    Log("/proc hides processes of containers from the agent (hidepid): their pods are guarded, but "
        "what they write into their own file systems is not measured");
  }
  void Log(std::string_view message) const {
    if (log) log(message);
  }
  // Logs the failure of an operation, unless the object of the operation is gone.
  template <typename T>
  void LogFailure(std::string_view what, const Result<T>& result) const {
    if (!result && result.error().code != ErrorCode::kNotFound) {
      Log(result.error().In(what).message);
    }
  }
};

// What the life of an own pod needs, whatever runs it. One instance for each runtime.
struct PodDependencies : RunDependencies {
  kernel::Paths paths;
  CgroupDriver cgroup_driver;
  Duration path_patience = std::chrono::seconds(10);
  // For files of this agent.
  kernel::DiskWork disk;
};

}  // namespace jettison
