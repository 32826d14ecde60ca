#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/model/spared_pod.h"
#include "core/pods/pod_facts.h"
#include "view/snapshot.h"

namespace jettison {

// The pods of a pass that acts for a soft threshold: those that are spared are protected in it,
// which is all that a decision, a report or a recording has to know of them.
class SparedPods {
 public:
  using Pods = std::vector<const PodFacts*>;

  // Valid until the next call, and while the pods and `active` are there.
  [[nodiscard]] const Pods& Among(const Pods& active, std::vector<SparedPod> spared);
  // None is.
  void Clear() { spared_.clear(), protected_.clear(); }

  [[nodiscard]] std::span<const SparedPod> spared() const { return spared_; }
  // These pods as the pass has seen them.
  [[nodiscard]] std::vector<std::shared_ptr<const PodFacts>> AsSeen(
      std::vector<std::shared_ptr<const PodFacts>> pods) const;
  // The same of what onlookers are shown.
  void ShowIn(std::vector<PodView>& views) const;
  // The pods themselves instead, beside each other in the same order.
  [[nodiscard]] Pods Themselves(const Pods& seen) const;

 private:
  struct Protected {
    const PodFacts* pod = nullptr;
    std::shared_ptr<const PodFacts> facts;
  };

  std::vector<SparedPod> spared_;
  std::vector<Protected> protected_;
  Pods pods_;
};

}  // namespace jettison
