#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ports/container_runtime.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/found_runs.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Takes over pods of an agent before: by their records, and the runs that their folders tell of.
class Adoption {
 public:
  // All must outlive this.
  Adoption(RuntimeContext& context, Pods& pods) : context_(context), pods_(pods) {}

  // None where the folder is a leftover: its removal has begun, or nothing of a pod has ever run in
  // it. kInvalidArgument: the record is damaged or missing.
  [[nodiscard]] Result<std::optional<PodPlan>> ReadPlan(const std::string& uid) const;
  // A pod whose runs can be told, with groups and volumes: those of memory do not outlive the
  // machine's restart, the folders do.
  [[nodiscard]] Result<RuntimePod> TakeOver(PodEntry& entry);

  // The same of many pods, in three steps. The runs of each; fails if it is not known what runs of
  // the pod.
  using Runs = Result<std::vector<FoundRun>>;
  [[nodiscard]] Runs FindRuns(const PodEntry& entry);
  // Ends the shims that have not let their programs go, and waits for all of them, 2 s together.
  void EndWaitingShims(const std::vector<Runs*>& runs_of_pods) const;
  // Each pod, whose shims of this kind have been ended.
  [[nodiscard]] RuntimePod TakeOver(PodEntry& entry, std::vector<FoundRun> runs);

 private:
  // Of a folder without the pod's file. Fails if it may be that of a pod whose file was lost.
  [[nodiscard]] Result<void> CheckLeftover(const std::string& uid) const;
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

}  // namespace jettison::process
