#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pods/leftovers.h"
#include "pods/log_rotation.h"
#include "ports/file_descriptor.h"
#include "runtimes/cri/adoption.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/cri_runtime.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/own_pods.h"
#include "runtimes/cri/pod_record.h"

namespace jettison::cri {

// The runtime's parts that tests replace.
struct RuntimeDependencies {
  std::unique_ptr<Calls> calls;
  std::shared_ptr<Processes> processes;
  std::unique_ptr<kernel::Readiness> readiness;
  FileDescriptor lock;
  // With the cgroup driver systemd alone.
  std::shared_ptr<const Slices> slices = nullptr;
};

// The CRI runtime: owns its pods and hands each command to the part that carries it out.
class Runtime : public CriRuntime {
 public:
  Runtime(RuntimeDependencies dependencies, const CriRuntimeOptions& options, Cgroups& cgroups,
          GroupEnd& group_end, const Clock& clock);

  [[nodiscard]] std::vector<RuntimePod> Recall() override;
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
  // It has none of others.
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const std::string&) const override {
    return no_groups_;
  }
  [[nodiscard]] int EventFd() const override { return readiness_->fd(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override;
  [[nodiscard]] UidClaim ClaimOn(const std::string& uid) const override;
  void OnTaken(std::function<void(const std::string&)> taken) override {
    on_taken_ = std::move(taken);
  }
  void SetListener(Listener listener) override { listener_ = std::move(listener); }

 private:
  void NoteTaken(const std::string& uid);
  // Schedules the next relist, which compares everything that the runtime has with what is known.
  void ScheduleRelist(Duration delay);
  void Relist();
  void OnListing(const Result<Listing>& listing);
  void RemoveStrays(const Listing& listing);
  [[nodiscard]] bool HasOwner(const api::PodSandbox& sandbox) const;

  RuntimeDependencies dependencies_;
  kernel::Readiness* readiness_;
  RuntimeContext context_;
  Inventory inventory_;
  OwnPods pods_;
  Leftovers leftovers_;
  Adoption adoption_;
  LogRotation rotation_;
  const std::vector<std::string> no_groups_;
  std::function<void(const std::string&)> on_taken_;  // null: nobody looks after foreign pods
  Listener listener_;                                 // the same
  bool recalled_ = false;  // pods are guarded already, and nothing waits for an answer any more
  bool adopted_ = false;   // before that nothing is known, and everything would be a stranger
  bool relisting_ = false;
  // Removes sandboxes that no pod has, one after the other.
  std::unique_ptr<SandboxClearance> clearance_;
  bool clearing_ = false;
  kernel::Readiness::Watch on_answers_;
  kernel::Readiness::Watch on_relist_;
};

}  // namespace jettison::cri
