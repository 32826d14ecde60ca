#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sources/kubernetes/objects/api_object.h"
#include "sources/kubernetes/objects/api_pod.h"

namespace jettison::kube {

// A pod whose group was found with a limit of no processes.
struct FoundHeld {
  ObjectHead head;
  std::string group;  // relative to the node's own
};

// Tells of the pods of a node, each as it is now.
class PodFeed {
 public:
  struct Listeners {
    std::function<void(const ApiPod&)> on_pod;  // it appeared, or changed
    std::function<void(const ObjectHead&)> on_gone;
    // The eviction of the pod of this UID was given up, so it may run again. May be null.
    std::function<void(const std::string&)> on_given_up = nullptr;
    // The pods that were reported since the last call and can start no process, although this run
    // of the agent has not ended them. Pods that have ended or are being deleted are left out. May
    // be null.
    std::function<std::vector<FoundHeld>()> take_held = nullptr;
    // Whether the pod of this UID is there, has not ended and is not being deleted, as it was told
    // last. May be null.
    std::function<bool(const std::string&)> goes_on = nullptr;
  };

  virtual ~PodFeed() = default;

  // Who is told from now on.
  virtual void Follow(Listeners listeners) = 0;
  // Readable when Dispatch has something to tell.
  [[nodiscard]] virtual int fd() const = 0;
  // Tells what there is to tell. Never waits.
  virtual void Dispatch() = 0;
  // Whether every pod that is known to exist has been reported.
  [[nodiscard]] virtual bool IsComplete() const = 0;
};

}  // namespace jettison::kube
