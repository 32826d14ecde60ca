#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/files/paths.h"
#include "pods/observed_pods.h"
#include "ports/container_runtime.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/found_runs.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Marks a pod's folder as one that is being removed, by renaming the pod's file. A file that is
// merely missing says nothing: somebody else may have taken it away.
void MarkAsRemoved(const kernel::Paths& paths, std::string_view uid);

// Takes over pods of an agent before: by their records, and the runs that their folders tell of.
class Adoption {
 public:
  // All must outlive this.
  Adoption(RuntimeContext& context, Pods& pods) : context_(context), pods_(pods) {}

  // None where the folder is a leftover: its removal has begun, or nothing of a pod has ever run in
  // it. kInvalidArgument: the record is damaged or missing.
  [[nodiscard]] Result<std::optional<PodPlan>> ReadPlan(const std::string& uid) const;
  // Makes it the agent's own, with its runs, groups and volumes: those of memory do not outlive the
  // machine's restart, the folders do. Fails, and leaves it as it is, if it is not known what runs
  // of it.
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& plan);

 private:
  // Of a folder without the pod's file. Fails if it may be that of a pod whose file was lost.
  [[nodiscard]] Result<void> CheckLeftover(const std::string& uid) const;
  [[nodiscard]] Result<std::vector<FoundRun>> FindRuns(const PodEntry& entry) const;
  [[nodiscard]] std::vector<ContainerRecord> AdoptRuns(PodEntry& entry, std::vector<FoundRun> runs);
  // What a run does not know of itself.
  struct Surroundings {
    bool oom_killed = false;
    Instant earliest;                  // the run did not begin before
    bool a_later_run_goes_on = false;  // in the same group
  };
  [[nodiscard]] std::optional<ContainerRecord> AdoptRun(PodEntry& entry, FoundRun run,
                                                        const Surroundings& surroundings);
  void EndRemains(const PodEntry& entry, const FoundRun& run, const Surroundings& surroundings,
                  std::string_view what) const;

  RuntimeContext& context_;
  Pods& pods_;
};

// The pods of this runtime that cannot be taken over yet.
class ObservedPods : public jettison::ObservedPods {
 public:
  // All must outlive this.
  ObservedPods(RuntimeContext& context, Adoption& adoption)
      : jettison::ObservedPods(context), context_(context), adoption_(adoption) {}

  void Enter(const std::string& uid, const Error& error);

 private:
  [[nodiscard]] std::function<Reading()> Reader(const std::string& uid) const override;
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& wanted,
                                            const Result<void>& record) override;
  // Writes the record anew.
  void Mend(const Pod& pod);

  RuntimeContext& context_;
  Adoption& adoption_;
};

}  // namespace jettison::process
