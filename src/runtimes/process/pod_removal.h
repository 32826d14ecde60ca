#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kernel/files/paths.h"
#include "pods/pod_removal.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Marks a pod's folder as one that is being removed, by renaming the pod's file to `pod.json.gone`.
// A pod's file that is merely missing says nothing: somebody else may have taken it away.
void MarkAsRemoved(const kernel::Paths& paths, std::string_view uid);

[[nodiscard]] bool IsMarkedAsRemoved(const kernel::Paths& paths, std::string_view uid);

// What the repair of a pod's file leaves beside it.
[[nodiscard]] std::string DamagedPodFile(const kernel::Paths& paths, std::string_view uid);

// Takes down what is left of a pod. From its beginning on the pod's folder is no pod any more, so
// that an agent that starts later goes on where this one was interrupted.
class PodRemoval : public jettison::PodRemoval {
 public:
  PodRemoval(RuntimeContext& context, PodRemains remains)
      : jettison::PodRemoval(context, std::move(remains)), context_(context) {}

 private:
  void EndInRuntime(Done done) override;

  RuntimeContext& context_;
};

}  // namespace jettison::process
