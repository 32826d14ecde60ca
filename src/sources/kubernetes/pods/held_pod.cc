#include "sources/kubernetes/pods/held_pod.h"

#include <utility>

#include "kernel/groups/cgroup_layout.h"
#include "kernel/groups/fd_reserve.h"

namespace jettison::kube {

HeldPod::HeldPod(RunEdges& edges, std::string group, std::set<std::string> known,
                 std::function<void()> on_down)
    : edges_(edges),
      group_(std::move(group)),
      known_(std::move(known)),
      on_down_(std::move(on_down)) {}

// The groups are listed after the limit has been set: a runtime that makes one later fails to fork
// in it.
void HeldPod::Hold() {
  const kernel::EndingPods ending;
  if (!edges_.cgroups.Children(group_)) return;  // it is gone: nothing is to be made of it
  edges_.LogFailure("hold the group " + group_, edges_.cgroups.Create(group_, {.pids_max = 0}));
  const auto children = edges_.cgroups.Children(group_);
  if (!children) return;
  for (const std::string& name : *children) {
    const std::string group = kernel::ContainerGroup(group_, name);
    if (known_.contains(group)) continue;
    edges_.LogFailure("end what was started again in " + group, edges_.group_end.Kill(group));
  }
}

void HeldPod::TakeDown(Duration, Done done) {
  on_down_();
  done({});
}

}  // namespace jettison::kube
