#pragma once

#include <functional>
#include <string>

#include "core/model/pod.h"
#include "runtimes/process/runs/live_container.h"
#include "runtimes/process/runs/runtime_context.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison::process {

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
  void Listen();
  void OnEnded();

  RuntimeContext& context_;
  std::string about_;
  ShimProcess shim_;
  Done done_;
  bool ended_ = false;
  kernel::Readiness::Watch on_message_;
  kernel::Readiness::Watch on_end_;
  kernel::Readiness::Watch on_timeout_;
};

}  // namespace jettison::process
