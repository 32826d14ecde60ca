#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "pods/pod_removal.h"
#include "runtimes/cri/containers/runtime_context.h"
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
  void AwaitTheRest(Done done) override;
  void KillGroups();
  void StopSlices(const Done& done);

  RuntimeContext& context_;
  std::vector<std::string> layers_;
  std::unique_ptr<SandboxClearance> clearance_;
  int layer_looks_ = 0;
  kernel::Readiness::Watch on_look_;
};

}  // namespace jettison::cri
