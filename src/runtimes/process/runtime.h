#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/processes/processes.h"
#include "pods/leftovers.h"
#include "pods/log_rotation.h"
#include "ports/container_runtime.h"
#include "ports/file_descriptor.h"
#include "runtimes/process/adoption.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/runtime_context.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison::process {

// The process runtime: hands each command to the pod that it concerns.
class Runtime : public ContainerRuntime {
 public:
  Runtime(std::unique_ptr<kernel::Readiness> readiness, FileDescriptor lock,
          const ProcessRuntimeOptions& options, std::string boot_id, Cgroups& cgroups,
          GroupEnd& group_end, const Clock& clock);

  [[nodiscard]] Result<std::vector<RuntimePod>> List() override;
  void CreatePod(const PodPlan& plan) override;
  void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                      int oom_score_adj) override;
  void StopContainer(const std::string& pod_uid, const std::string& container,
                     Duration grace) override;
  void KillContainer(const std::string& pod_uid, const std::string& container) override;
  void RemoveContainer(const std::string& pod_uid, const std::string& container,
                       int attempt) override;
  [[nodiscard]] bool RemovingContainers() const override { return leftovers_.IsDeleting(); }
  void RemovePod(const std::string& pod_uid) override;
  [[nodiscard]] PodDisk DiskOf(const Pod& pod) const override;
  [[nodiscard]] std::string_view GroupOf(const std::string& pod_uid,
                                         const std::string& container) const override;
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const std::string&) const override {
    return no_groups_;
  }
  [[nodiscard]] int EventFd() const override { return readiness_->fd(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override;

 private:
  void SayWhatIsMissing() const;
  void FailCreation(PodEntry& entry, const Error& error);
  void BeginRemoval(PodEntry& entry);
  void ContinueRemovals();
  // Whether nothing is left of a pod that is being removed.
  [[nodiscard]] bool IsRemoved(const std::string& uid, PodEntry& entry);

  std::unique_ptr<kernel::Readiness> readiness_;
  FileDescriptor lock_;
  HostProcesses processes_;
  RuntimeContext context_;
  const ResidentProgram shim_{context_.options.shim};
  Pods pods_{context_};
  Leftovers leftovers_{context_, [this](PodRemains remains) {
                         return std::make_unique<PodRemoval>(context_, std::move(remains));
                       }};
  Adoption adoption_{context_, leftovers_, pods_};
  LogRotation rotation_{
      context_, context_.options, [this] { return pods_.RunningLogs(); },
      [this](const RunningLog& log, const auto& done) { pods_.ReopenLog(log, done); }};
  const std::vector<std::string> no_groups_;
};

}  // namespace jettison::process
