#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/pod.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/process/mount_points.h"
#include "runtimes/process/removal_job.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// What is to be taken down of one pod.
struct PodRemains {
  std::string uid;
  std::vector<std::string> groups;    // its control groups, those that may be gone included
  std::vector<std::string> log_dirs;  // its logs
  MountPointUser mount_point_user;    // who else uses its mount points
};

// Takes down what is left of a pod, step by step without waiting: groups, mount points, mounts and
// files. From its beginning on the pod's folder is no pod any more, so that an agent that starts
// later goes on where this one was interrupted. What does not work is tried again.
class PodRemoval {
 public:
  PodRemoval(RuntimeContext& context, PodRemains remains);

  // Goes on as far as it can; true when nothing is left. A step that may go on wakes the runtime.
  [[nodiscard]] bool Continue();
  // The same, waiting at most `timeout`; for the agent's start alone.
  [[nodiscard]] bool Finish(Duration timeout);

 private:
  enum class Forgotten : std::uint8_t { kNo, kUnderWay, kYes };

  void ForgetPod();
  [[nodiscard]] bool IsInhabited(const std::string& group) const;
  [[nodiscard]] bool RemoveGroups();
  [[nodiscard]] bool RemoveFiles();
  void TryAgainLater(std::string_view what, const Error& error);

  RuntimeContext& context_;
  PodRemains remains_;
  Forgotten forgotten_ = Forgotten::kNo;  // its own file is gone
  bool groups_gone_ = false;
  std::optional<RemovalJob> job_;
  int failures_ = 0;
  kernel::Readiness::Watch retry_;
  Lifetime lifetime_;
};

}  // namespace jettison::process
