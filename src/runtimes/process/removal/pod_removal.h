#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/pod.h"
#include "kernel/readiness/lifetime.h"
#include "kernel/readiness/path_errand.h"
#include "pods/child_job.h"
#include "runtimes/process/removal/mount_points.h"
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

 private:
  enum class Step : std::uint8_t { kNotBegun, kUnderWay, kDone };

  void ForgetPod();
  [[nodiscard]] bool RemoveGroups();
  [[nodiscard]] bool RemoveMountPoints();
  void ReleaseMountPoints(const std::vector<MountPoint>& points);
  void LeaveMountPoints(const Result<void>& removed);
  [[nodiscard]] bool RemoveFiles();
  void BeginRemovalOfFiles();
  void TryAgainLater(std::string_view what, const Error& error);

  RuntimeContext& context_;
  PodRemains remains_;
  Step forgotten_ = Step::kNotBegun;  // the folder is marked as removed
  bool groups_gone_ = false;
  Step mount_points_ = Step::kNotBegun;  // done: they are gone, or left behind
  // Of the mount points, one of which may lie on a file system that never answers.
  std::unique_ptr<kernel::PathErrand> errand_;
  Step files_ = Step::kNotBegun;
  std::unique_ptr<ChildJob> job_;
  int failures_ = 0;
  kernel::Readiness::Watch retry_;
  Lifetime lifetime_;
};

}  // namespace jettison::process
