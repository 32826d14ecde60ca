#pragma once

#include <map>
#include <string>

#include "containers/cri_container.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/adoption.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/pods/own_pods.h"

namespace jettison::cri {

// Recalled pods that cannot be taken over yet, because the runtime does not tell the status of one
// of their containers. They are guarded as they were recalled. What else the runtime has of them
// may run, so no listing ends anything of them.
class RecalledPods {
 public:
  // All must outlive this.
  RecalledPods(RuntimeContext& context, OwnPods& pods, Adoption& adoption, Inventory& inventory)
      : context_(context), pods_(pods), adoption_(adoption), inventory_(inventory) {}
  RecalledPods(const RecalledPods&) = delete;
  RecalledPods& operator=(const RecalledPods&) = delete;
  ~RecalledPods() = default;

  [[nodiscard]] bool Has(const std::string& uid) const { return asked_.contains(uid); }
  void Enter(const std::string& uid, const Error& error);
  // The pod is gone; another one may get its UID.
  void Forget(const std::string& uid) { asked_.erase(uid); }
  // Asks for the statuses again, and takes over the pods of which all are known -> PodFound.
  void OnListed(const Listing& listing);

 private:
  void Ask(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing);
  void OnFound(const std::string& uid, const Found& found);
  void OnLost(PodActor& pod);
  // Null: the pod has ended, or is about to.
  [[nodiscard]] PodActor* Find(const std::string& uid) const;

  RuntimeContext& context_;
  OwnPods& pods_;
  Adoption& adoption_;
  Inventory& inventory_;
  std::map<std::string, bool> asked_;  // by UID: whether an answer is on the way
  Lifetime lifetime_;
};

}  // namespace jettison::cri
