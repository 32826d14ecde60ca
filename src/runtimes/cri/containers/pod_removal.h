#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "pods/pod_removal.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {

// Takes down what is left of a pod: its sandboxes, too, and the slices of its groups. Runtimes
// answer before a writable layer is deleted; a pod that holds its space still is not gone, or the
// next one would be evicted for want of it. That is waited for some seconds.
class PodRemoval : public jettison::PodRemoval {
 public:
  // `layers`: its writable layers, which the runtime deletes when it finds the time.
  PodRemoval(RuntimeContext& context, PodRemains remains, std::vector<std::string> layers = {})
      : jettison::PodRemoval(context, std::move(remains)),
        context_(context),
        layers_(std::move(layers)) {}

 private:
  void EndInRuntime(Done done) override;
  void CollectFiles(std::function<void(RemovalOrder)> done) override;
  void AwaitTheRest(Done done) override;
  void KillGroups();
  void StopSlices(const Done& done);

  RuntimeContext& context_;
  std::vector<std::string> layers_;
  std::unique_ptr<SandboxClearance> clearance_;
  std::vector<std::string> doomed_;  // its folders under the names they were given to be deleted
  int layer_looks_ = 0;
  std::size_t stopped_slices_ = 0;
  kernel::Readiness::Watch on_look_;
};

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
