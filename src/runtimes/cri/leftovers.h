#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "pods/pod_removal.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/containers/pod_removal.h"

namespace jettison::cri {

// Removes the remains of pods whose creation or removal was interrupted. Nobody will ask for these
// pods again, so nothing of them may stay.
class Leftovers {
 public:
  explicit Leftovers(RuntimeContext& context) : context_(context) {}
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;
  ~Leftovers() = default;

  // Goes on deleting what an earlier agent had begun to delete, for as long as it takes. Returns
  // the UIDs of the other pods that have a folder.
  [[nodiscard]] std::vector<std::string> Begin();
  // Removes everything that belongs to a pod.
  void Remove(const std::string& uid);
  // The same of what is named.
  void Remove(PodRemains remains);
  // The removal that is going on of this pod; null: there is none.
  [[nodiscard]] const PodRemoval* Find(const std::string& uid) const;
  // Whether files of earlier pods are still being deleted; true for some seconds at most.
  [[nodiscard]] bool IsDeleting() const;
  // Forgets those that are gone.
  void Advance();

 private:
  RuntimeContext& context_;
  std::map<std::string, std::unique_ptr<PodRemoval>> removals_;  // by UID
  TreeRemovals trees_{context_};  // that an earlier agent had begun to delete
  Instant since_;
};

}  // namespace jettison::cri
