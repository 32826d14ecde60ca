#include "runtimes/cri/cri_runtime.h"

#include <utility>

#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "kernel/processes/processes.h"
#include "rpc/calls.h"
#include "runtimes/cri/host/systemd_slices.h"
#include "runtimes/cri/runtime.h"

namespace jettison {

Result<std::unique_ptr<CriRuntime>> OpenCriRuntime(CriRuntimeOptions options,
                                                   std::unique_ptr<cri::Calls> calls,
                                                   Cgroups& cgroups, GroupEnd& group_end,
                                                   const Clock& clock) {
  options = Tidied(std::move(options));
  if (!options.root.starts_with('/')) {
    return Fail(ErrorCode::kInvalidArgument, "the runtime's root must be an absolute path");
  }
  const kernel::Paths paths(options.root, options.logs);
  auto lock = kernel::OpenRootFolders(paths);
  if (!lock) return Fail(lock.error());
  if (auto own = kernel::CheckPodsAreOwn(paths.Pods(), kernel::kCriPodMarks);
      !own && own.error().code == ErrorCode::kInvalidArgument) {
    return Fail(own.error());
  }
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  cri::RuntimeEdges edges{.calls = std::move(calls),
                          .processes = std::make_unique<HostProcesses>(),
                          .readiness = std::move(*readiness),
                          .lock = std::move(*lock),
                          .slices = nullptr};
  if (options.cgroup_driver == CgroupDriver::kSystemd) {
    edges.slices = std::make_unique<cri::SystemdSlices>(*edges.readiness);
  }
  return std::make_unique<cri::Runtime>(std::move(edges), options, cgroups, group_end, clock);
}

}  // namespace jettison
