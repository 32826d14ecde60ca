#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/files/paths.h"
#include "pods/adoption.h"
#include "pods/leftovers.h"
#include "ports/container_runtime.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/found_runs.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Marks a pod's folder as one that is being removed, by renaming the pod's file. A file that is
// merely missing says nothing: somebody else may have taken it away.
void MarkAsRemoved(const kernel::Paths& paths, std::string_view uid);

// By the records of pods, and the runs that their folders tell of.
class Adoption : public jettison::Adoption {
 public:
  // All must outlive this.
  Adoption(RuntimeContext& context, Leftovers& leftovers, Pods& pods)
      : jettison::Adoption(context, leftovers), context_(context), pods_(pods) {}

 private:
  [[nodiscard]] bool IsOwn(const std::string& uid) const override;
  [[nodiscard]] std::string RecordOf(const std::string& uid) const override;
  [[nodiscard]] Result<PodPlan> ReadPlan(const std::string& uid) const override;
  // With its runs, groups and volumes: those of memory do not outlive the machine's restart, the
  // folders do. Fails if it is not known what runs of it.
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& plan, const Error* unread) override;
  [[nodiscard]] std::function<Result<void>()> Reader(const std::string& uid) const override;
  [[nodiscard]] Result<void> CheckLeftover(const std::string& uid) const override;
  // Its shims write nothing that is needed.
  void EndKeepers(const std::string& uid) override;
  [[nodiscard]] std::string NameOf(const std::string& uid) const override;

  // Writes the record anew.
  void Mend(const Pod& pod);
  [[nodiscard]] Result<std::vector<FoundRun>> FindRuns(const PodEntry& entry) const;
  [[nodiscard]] std::vector<ContainerRecord> AdoptRuns(PodEntry& entry, std::vector<FoundRun> runs);
  // What a run does not know of itself.
  struct Surroundings {
    bool oom_killed = false;
    Instant earliest;  // a run did not begin before the previous one, whatever the clock said then
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
