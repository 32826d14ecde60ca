#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/model/pod_origin.h"
#include "core/pods/pod_facts.h"
#include "view/snapshot.h"

namespace jettison {

// The pods of a pass that acts for a soft threshold. Spared pods are replaced by protected copies,
// so that decisions, reports and recordings need not treat them specially.
class SparedPods {
 public:
  using Pods = std::vector<const PodFacts*>;

  // Valid until the next call, and while the pods are there.
  [[nodiscard]] Pods Among(Pods active, std::vector<SparedPod> spared);
  // None is.
  void Clear() { spared_.clear(), protected_.clear(); }

  [[nodiscard]] std::span<const SparedPod> spared() const { return spared_; }
  // These pods as the pass has seen them.
  [[nodiscard]] std::vector<std::shared_ptr<const PodFacts>> AsSeen(
      std::vector<std::shared_ptr<const PodFacts>> pods) const;
  // Marks the spared pods in the views for onlookers.
  void ShowIn(std::vector<PodView>& views) const;
  // The original pods of a list from Among, in the same order.
  [[nodiscard]] Pods Themselves(const Pods& seen) const;

 private:
  struct Protected {
    const PodFacts* pod = nullptr;
    std::shared_ptr<const PodFacts> facts;
  };

  std::vector<SparedPod> spared_;
  std::vector<Protected> protected_;
};

}  // namespace jettison
