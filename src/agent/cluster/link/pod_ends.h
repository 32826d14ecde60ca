#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "sources/kubernetes/objects/api_pod.h"
#include "sources/kubernetes/objects/object_head.h"

namespace jettison {

// Detects from updates of pods which of them have ended, and reports each once. Pods that had ended
// before the first list are not reported.
class PodEnds {
 public:
  struct Listeners {
    std::function<void(const kube::ApiPod&)> on_ended;  // Succeeded or Failed
    std::function<void(const kube::ObjectHead&)> on_gone;
  };

  // Who is told from now on.
  void Follow(Listeners listeners) { listeners_ = std::move(listeners); }

  // A pod appeared or changed; `has_listed`: after the first list.
  void Take(const kube::ApiPod& pod, bool has_listed);
  void TakeGone(const kube::ObjectHead& head);

 private:
  Listeners listeners_;
  std::set<std::string> ended_;  // UIDs of pods that are there
};

}  // namespace jettison
