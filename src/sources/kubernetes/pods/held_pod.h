#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "sources/foreign/base.h"
#include "sources/kubernetes/pods/held_group.h"

namespace jettison::kube {

// The base of a kubelet's pod: the kubelet starts the containers again for as long as the pod is
// not deleted. The caller that evicts the pod deletes it.
class HeldPod : public Base {
 public:
  // `on_down` is told once, when we have ended all that ran in the pod.
  HeldPod(std::shared_ptr<HeldGroup> group, std::function<void()> on_down)
      : group_(std::move(group)), on_down_(std::move(on_down)) {}

  void Hold() override { group_->Hold(); }
  void TakeDown(Duration, Done done) override {
    on_down_();
    done({});
  }
  [[nodiscard]] std::string_view HowItEnds() const override { return "hold the group"; }

 private:
  std::shared_ptr<HeldGroup> group_;
  std::function<void()> on_down_;
};

}  // namespace jettison::kube
