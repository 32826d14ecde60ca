#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "core/model/pod.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"
#include "runtimes/process/runs/runtime_context.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison::process {

// What a command needs of a container beside whose process it is to run.
struct LiveContainer {
  FileDescriptor mount_namespace;
  int oom_score_adj = 0;  // 0 where it cannot be read
};

// Absent where the container's process has ended, whoever has its id by now: only a child of the
// container's shim is taken for it. Fails where that cannot be told.
[[nodiscard]] Result<std::optional<LiveContainer>> OpenLiveContainer(pid_t container,
                                                                     const ShimProcess& shim);

// One preStop command that runs in a container's groups and mount namespace. Over when it ends by
// itself, when it could not be started, or when its time is up; then `done` is called once, from
// Dispatch. Destroying it ends it.
class PreStopHook {
 public:
  struct Place {
    std::string group;
    std::string rootfs;
    const LiveContainer& container;
  };
  using Done = std::function<void()>;

  [[nodiscard]] static Result<std::unique_ptr<PreStopHook>> Start(RuntimeContext& context,
                                                                  const Pod& pod,
                                                                  const Container& container,
                                                                  const Place& place, Done done);
  PreStopHook(const PreStopHook&) = delete;
  PreStopHook& operator=(const PreStopHook&) = delete;
  ~PreStopHook();

  // The time that is left from now on.
  void Limit(Duration grace);

 private:
  PreStopHook(RuntimeContext& context, std::string about, ShimProcess shim, Done done);
  void OnEnded();

  RuntimeContext& context_;
  std::string about_;
  ShimProcess shim_;
  Done done_;
  bool ended_ = false;
  kernel::Readiness::Watch on_end_;
  kernel::Readiness::Watch on_timeout_;
};

}  // namespace jettison::process
