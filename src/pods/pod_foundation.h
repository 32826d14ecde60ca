#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/units/result.h"
#include "kernel/readiness/disk_work.h"
#include "kernel/readiness/lifetime.h"
#include "pods/run_dependencies.h"
#include "ports/pod_plan.h"

namespace jettison {

// What stands on the host before a pod's containers, whatever these are: its folders, its volumes
// and its group. What is there already is kept.
class PodFoundation {
 public:
  using Done = std::function<void(const Result<void>&)>;

  // All must outlive it.
  PodFoundation(PodDependencies& dependencies, const PodPlan& plan, const std::string& group)
      : dependencies_(dependencies), plan_(plan), group_(group) {}
  PodFoundation(const PodFoundation&) = delete;
  PodFoundation& operator=(const PodFoundation&) = delete;
  ~PodFoundation() = default;

  // Makes it; called once. `done` is called now or later, unless this is destroyed before, and may
  // destroy it. Paths of others may never answer: that is a failure after a while. `record`, unless
  // it is empty, is written last as the pod's file: after an interruption before that, the next
  // agent finds a folder without it, and removes that.
  void Make(Done done, std::string record = "");
  // The same for a pod that is taken over, whose containers wait for nothing: groups and volumes in
  // memory do not outlive a restart of the machine. Failures are logged.
  void MakeAgain();

 private:
  void MakeFiles(kernel::DiskWork::Done done);
  void PrepareVolumes();
  void Finish(const Result<void>& made);

  PodDependencies& dependencies_;
  const PodPlan& plan_;
  const std::string& group_;
  Done done_;
  std::string record_;
  std::unique_ptr<kernel::PathErrand> errand_;  // volumes that have not answered yet
  Lifetime lifetime_;
};

}  // namespace jettison
