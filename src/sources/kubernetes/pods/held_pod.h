#pragma once

#include <functional>
#include <string>
#include <utility>

#include "containers/run_edges.h"
#include "sources/foreign/base.h"

namespace jettison::kube {

// The base of a kubelet's pod: the kubelet starts the containers again for as long as the pod is
// not deleted. The caller that evicts the pod deletes it.
class HeldPod : public Base {
 public:
  // `edges` must outlive it; `on_down` is told once, when we have ended all that ran in the pod.
  HeldPod(RunEdges& edges, std::string group, std::function<void()> on_down)
      : edges_(edges), group_(std::move(group)), on_down_(std::move(on_down)) {}

  // With a limit of no processes in the pod's group the kubelet can start none.
  void Hold() override {
    if (!edges_.cgroups.Children(group_)) return;  // it is gone: nothing is to be made of it
    edges_.LogFailure("hold the group " + group_, edges_.cgroups.Create(group_, {.pids_max = 0}));
  }
  void TakeDown(Duration, Done done) override {
    on_down_();
    done({});
  }
  [[nodiscard]] std::string_view HowItEnds() const override { return "hold the group"; }

 private:
  RunEdges& edges_;
  std::string group_;
  std::function<void()> on_down_;
};

}  // namespace jettison::kube
