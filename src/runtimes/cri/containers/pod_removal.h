#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/files/own_folders.h"
#include "kernel/readiness/lifetime.h"
#include "pods/removal_job.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/containers/sandbox_clearance.h"

namespace jettison::cri {

// What is to be taken down of one pod.
struct PodRemains {
  std::string uid;
  std::vector<std::string> groups;    // its control groups, those that may be gone included
  std::vector<std::string> log_dirs;  // its logs
  // Its writable layers, which the runtime deletes when it finds the time.
  std::vector<std::string> layers;
};

// Takes down what is left of a pod, step by step without waiting: processes at once, then
// sandboxes, groups, mounts and files. What does not work is tried again, for as long as it takes.
// Runtimes answer before a writable layer is deleted; a pod that holds its space still is not gone,
// or the next one would be evicted for want of it. That is waited for some seconds.
class PodRemoval {
 public:
  PodRemoval(RuntimeContext& context, PodRemains remains);
  PodRemoval(const PodRemoval&) = delete;
  PodRemoval& operator=(const PodRemoval&) = delete;
  ~PodRemoval() = default;

  void Start() { RemoveSandboxes(); }
  // Nothing is left.
  [[nodiscard]] bool done() const { return done_; }
  // What failed last; empty: nothing has.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  using Step = void (PodRemoval::*)();

  void KillGroups();
  void RemoveSandboxes();
  void StopSlices();
  void RemoveGroups();
  void RemoveFiles();
  struct Renaming {
    std::string from;
    std::string to;
    bool done = false;
  };
  void DeleteFiles(const std::vector<Renaming>& renamings);
  void AwaitLayers();
  void TryAgainLater(Step step, const Error& error);

  RuntimeContext& context_;
  PodRemains remains_;
  std::unique_ptr<SandboxClearance> clearance_;
  std::unique_ptr<ChildJob> job_;
  std::vector<std::string> doomed_;  // its folders under the names they were given to be deleted
  bool done_ = false;
  int failures_ = 0;
  int layer_looks_ = 0;
  std::size_t stopped_slices_ = 0;
  std::string problem_;
  kernel::Readiness::Watch retry_;
  Lifetime lifetime_;
};

using kernel::kDoomedPrefix;

}  // namespace jettison::cri
