#pragma once

#include <memory>

#include "core/units/result.h"
#include "kernel/processes/processes.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/group_end.h"
#include "rpc/calls.h"
#include "runtimes/cri/containers/cri_options.h"
#include "runtimes/cri/cri_runtime.h"

namespace jettison {

// What the sources beside a CRI runtime are opened with. References must outlive the runtime that
// comes of it.
struct CriDependencies {
  cri::Calls& calls;  // the runtime's
  const CriRuntimeOptions& options;
  // Whether pods that others run on the same container runtime are found, measured and, if told to,
  // ended (docs/cri-runtime.md, "Foreign pods"). Those of an earlier agent that this one has not
  // taken over are in any case.
  bool adopt = false;
  std::shared_ptr<Processes> processes;
  Cgroups& cgroups;
  GroupEnd& group_end;
  const Clock& clock;
};

// The pods of this runtime and those that others run on the same container runtime. Fails where
// nothing can be waited for.
[[nodiscard]] Result<std::unique_ptr<ContainerRuntime>> WithForeignPods(
    std::unique_ptr<CriRuntime> runtime, CriDependencies dependencies);

}  // namespace jettison
