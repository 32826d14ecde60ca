#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "containers/run_edges.h"
#include "sources/foreign/base.h"

namespace jettison::kube {

// The base of a kubelet's pod: the kubelet starts the containers again for as long as the pod is
// not deleted. The caller that evicts the pod deletes it.
class HeldPod : public Base {
 public:
  // `edges` must outlive it; `known` are the groups of the sandbox and of the containers that ran
  // when the pod was found. `on_down` is told once, when we have ended all that ran in the pod.
  HeldPod(RunEdges& edges, std::string group, std::set<std::string> known,
          std::function<void()> on_down);

  // With a limit of no processes in the pod's group the kubelet can start none. What it has started
  // before that, while a container used its grace period or this agent was late, is killed.
  void Hold() override;
  void TakeDown(Duration, Done done) override;
  [[nodiscard]] std::string_view HowItEnds() const override { return "hold the group"; }

 private:
  RunEdges& edges_;
  std::string group_;
  std::set<std::string> known_;
  std::function<void()> on_down_;
};

}  // namespace jettison::kube
