#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"
#include "machine/pods/pods_of_node.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/group_end.h"
#include "rpc/calls.h"
#include "runtimes/cri/containers/cri_options.h"
#include "runtimes/cri/cri_runtime.h"
#include "sources/kubernetes/pods/kubelet_pod.h"

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
  std::unique_ptr<Processes> processes;
  Cgroups& cgroups;
  GroupEnd& group_end;
  const Clock& clock;
};

// The pods of this runtime and those of all sources together. Fails where nothing can be waited
// for.
[[nodiscard]] Result<std::unique_ptr<ContainerRuntime>> WithForeignPods(
    std::unique_ptr<CriRuntime> runtime, CriDependencies dependencies);

// What the pods of a kubelet are opened with. References must outlive the runtime that comes of it.
struct KubeletPodsSetup {
  kube::PodFeed& feed;
  kube::KubeletPlaces places;
  std::string cgroup_prefix;  // the group below which the kubelet's group of all pods is
  kernel::GroupNames group_names = {};
  std::unique_ptr<Processes> processes;
  Cgroups& cgroups;
  GroupEnd& group_end;
  const Clock& clock;
  // To the container runtime, for its images; their answers come from TakeEvents. Null: none.
  std::unique_ptr<cri::Calls> calls = nullptr;
  std::function<void(std::string_view)> log = {};  // RunDependencies::log
};

// Opens the pods that the kubelet runs on this node; the agent runs no pods itself. Fails where no
// event descriptor can be created.
[[nodiscard]] Result<std::unique_ptr<ContainerRuntime>> OpenKubeletPods(
    KubeletPodsSetup dependencies);

}  // namespace jettison
