#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "ports/file_descriptor.h"
#include "ports/pod_plan.h"
#include "runtimes/process/removal/mount_points.h"
#include "runtimes/process/removal/pod_removal.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// A pod whose creation or removal was interrupted by the end of an earlier agent. Its processes are
// killed at once; the rest is taken down step by step, without waiting.
class Leftover {
 public:
  // `user`: who else uses its mount points.
  Leftover(RuntimeContext& context, const std::string& uid, MountPointUser user);

  // Goes on as far as it can; true when nothing is left. A step that may go on wakes the runtime.
  [[nodiscard]] bool Continue();

  // Of the next pod with this UID, which waits until this one is gone.
  std::optional<PodPlan> next;

 private:
  struct Shim {
    FileDescriptor handle;
    kernel::Readiness::Watch end;  // wakes the runtime
  };
  enum class Patience : std::uint8_t { kFirst, kLast, kOver };

  [[nodiscard]] bool ShimsHaveEnded();
  void SetTimer();

  RuntimeContext& context_;
  std::vector<Shim> shims_;
  Patience patience_ = Patience::kFirst;
  kernel::Readiness::Watch timer_;
  PodRemoval removal_;
};

// The leftovers of earlier agents. Nobody asks for them any more, so nothing of them may stay.
class Leftovers {
 public:
  // `context` must outlive it.
  explicit Leftovers(RuntimeContext& context) : context_(context) {}

  void Add(const std::string& uid, const MountPointUser& user);
  // Whether the pod of this plan has to wait for a leftover of its UID. If so, the plan is kept for
  // Continue.
  [[nodiscard]] bool Delays(const PodPlan& plan);
  // Forgets such a plan, if there is one.
  void Forget(const std::string& uid);
  // Takes the next steps. Called whenever the runtime is dispatched. Returns the plans of pods that
  // need not wait any longer.
  [[nodiscard]] std::vector<PodPlan> Continue();

 private:
  RuntimeContext& context_;
  std::map<std::string, Leftover> pods_;  // by UID
};

}  // namespace jettison::process
