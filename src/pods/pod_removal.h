#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/readiness/lifetime.h"
#include "kernel/readiness/readiness.h"
#include "pods/run_dependencies.h"

namespace jettison {

// Deletes the logs of one run in a folder of its container, rotated ones included. Of the disk.
void RemoveLogsOfRun(const std::string& folder, int attempt);

// A name in `folder` that no pod is ever given, for what was called `name` until `now`.
[[nodiscard]] std::string DoomedName(const std::string& folder, std::string_view name, Instant now);

// The refusal of a pod while an earlier one of its UID is being taken down; `problem`: see below.
[[nodiscard]] Error StillBeingRemoved(const std::string& problem);

// What is to be taken down of one pod.
struct PodRemains {
  std::string uid;
  std::vector<std::string> groups;    // its control groups, those that may be gone included
  std::vector<std::string> log_dirs;  // its logs
};

// Takes down what is left of a pod, step by step without waiting: processes at once, then groups,
// mounts and files. What does not work is tried again, for as long as it takes. A runtime says what
// it has of a pod beside these. Once its folders are renamed they belong to no pod, even if the
// deletion fails or goes on beside another agent; what cannot be renamed is deleted under its own
// name.
class PodRemoval {
 public:
  PodRemoval(PodDependencies& dependencies, PodRemains remains)
      : dependencies_(dependencies), remains_(std::move(remains)) {}
  PodRemoval(const PodRemoval&) = delete;
  PodRemoval& operator=(const PodRemoval&) = delete;
  virtual ~PodRemoval() = default;

  void Start() { Go(); }
  // Nothing is left. The runtime is woken then, and when something fails.
  [[nodiscard]] bool done() const { return step_ == Step::kDone; }
  // What failed last; empty: nothing has.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 protected:
  using Done = std::function<void(const Result<void>&)>;
  // Each calls back once, now or later. Before the groups are removed:
  virtual void EndInRuntime(Done done) { done({}); }
  // When the files are deleted.
  virtual void AwaitTheRest(Done done) { done({}); }

  [[nodiscard]] const PodRemains& remains() const { return remains_; }
  [[nodiscard]] const Lifetime& lifetime() const { return lifetime_; }

 private:
  enum class Step : std::uint8_t { kRuntime, kGroups, kFiles, kRest, kDone };
  void Go();
  // Takes the next step where this one has succeeded.
  [[nodiscard]] Done Then(Step next);
  void RenameFiles();
  void DeleteFiles();
  void TryAgainLater(const Error& error);

  PodDependencies& dependencies_;
  PodRemains remains_;
  Step step_ = Step::kRuntime;
  std::vector<std::string> files_;  // empty before they are renamed
  int failures_ = 0;                // of this step
  std::string problem_;
  kernel::Readiness::Watch retry_;
  Lifetime lifetime_;
};

}  // namespace jettison
