#pragma once

#include <string>
#include <utility>

#include "containers/anchor.h"
#include "sources/foreign/foreign_group.h"
#include "sources/kubernetes/pods/kubelet_groups.h"

namespace jettison::kube {

// The anchor of a kubelet's container. The kubelet notices the end itself, and the kernel shows how
// the container ended, because the pod's status arrives too late. A container whose group holds
// processes goes on: the one that has ended was not its first, but one that has made it. The group
// is its own alone, because the kubelet never uses the ID of a container again.
class StatusAnchor : public Anchor {
 public:
  // What `node` refers to must outlive it; `group` is the container's, relative to the node's own.
  StatusAnchor(NodeGroups node, std::string group)
      : node_(std::move(node)), group_(std::move(group)) {}

  void AskHowItStands(Duration, StandingAnswer answer) override {
    const auto pid = FirstProcessIn(node_, group_);
    if (!pid) return answer(ContainerStanding{});
    answer(ContainerStanding{.state = ContainerStanding::State::kLives, .pid = pid});
  }
  void TellToStop(Duration, Duration, Done) override {}

 private:
  NodeGroups node_;
  std::string group_;
};

}  // namespace jettison::kube
