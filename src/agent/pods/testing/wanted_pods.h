#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/model/choices.h"
#include "core/model/pod.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// For tests: pods as manifests ask for them.
[[nodiscard]] inline std::vector<SharedPodFacts> WantedPods(
    std::vector<Pod> pods, Profile profile = Profile::kStandalone) {
  std::vector<SharedPodFacts> wanted;
  for (Pod& pod : pods) {
    wanted.push_back(std::make_shared<const PodFacts>(FactsOf(std::move(pod), profile)));
  }
  return wanted;
}

}  // namespace jettison
