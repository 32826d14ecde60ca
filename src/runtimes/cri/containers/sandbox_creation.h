#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/model/pod.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/containers/sandbox_clearance.h"

namespace jettison::cri {

// A pod's sandbox.
struct Sandbox {
  std::string id;
  std::uint32_t attempt = 0;
  bool host_network = false;
};

// Makes the sandbox of a pod. Whatever is left of earlier ones is cleared away first; one that
// cannot be made is cleared away, too, and tried once more under another attempt, as its name may
// stay reserved in the runtime.
class SandboxCreation {
 public:
  using Done = std::function<void(Result<Sandbox>)>;

  // `plan` must outlive it. `first_attempt`: the lowest that may be free. `done` is called once,
  // not before Start has returned.
  SandboxCreation(RuntimeContext& context, const PodPlan& plan, std::string pod_group,
                  std::uint32_t first_attempt, Done done);
  void Start();

 private:
  void AskStatus();
  void OnStatus(const Result<api::StatusResponse>& answer);
  // Removes what is there; then goes on, or ends with the failure.
  void Clear();
  void OnCleared(const Result<std::uint32_t>& next_attempt);
  void Run();
  void OnRun(const Result<api::RunPodSandboxResponse>& answer);

  RuntimeContext& context_;
  const Pod& pod_;
  const CgroupLimits& limits_;
  std::string pod_group_;
  Sandbox sandbox_;
  Done done_;
  int failures_ = 0;
  Error failure_;
  std::unique_ptr<SandboxClearance> clearance_;
  Lifetime lifetime_;
};

// The description of a sandbox that was made; what CreateContainer wants to hear again.
[[nodiscard]] api::PodSandboxConfig DescriptionOf(const RuntimeContext& context, const Pod& pod,
                                                  const std::string& pod_group,
                                                  const Sandbox& sandbox);

}  // namespace jettison::cri
