#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/pods/pod_slots.h"
#include "agent/pods/remembered_pods.h"
#include "agent/workers/worker_dependencies.h"
#include "core/config/agent_config.h"
#include "core/model/profile.h"
#include "ports/container_runtime.h"

namespace jettison {

// Puts pods that the runtime already has into their slots: pods from before the agent's start, and
// foreign pods.
class FoundPods {
 public:
  // All must outlive this.
  FoundPods(Profile profile, PodSlots& slots, RememberedPods& remembered,
            WorkerDependencies& dependencies)
      : profile_(profile), slots_(&slots), remembered_(&remembered), dependencies_(&dependencies) {}

  // Sets the policy for foreign pods.
  void SetPolicy(AdoptPolicy policy) { policy_ = policy; }
  [[nodiscard]] AdoptPolicy policy() const { return policy_; }
  // Takes over a pod by the agent's own records, while the runtime does not answer. Adopt follows
  // when it does.
  void Recall(RuntimePod pod, Instant now);
  void Adopt(RuntimePod pod, Instant now);

 private:
  [[nodiscard]] PodWorker& Enter(RuntimePod& pod, Instant now);
  [[nodiscard]] std::optional<SavedPod> SavedOf(const std::string& name, const RuntimePod& pod,
                                                Instant now);
  void ForgetWorkerOf(std::string_view uid);

  Profile profile_;
  AdoptPolicy policy_ = AdoptPolicy::kObserve;
  PodSlots* slots_;
  RememberedPods* remembered_;
  WorkerDependencies* dependencies_;
};

}  // namespace jettison
