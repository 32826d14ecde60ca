#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/process/container_run.h"
#include "platform/process/dead_runs.h"
#include "platform/process/pod_removal.h"
#include "platform/process/surroundings.h"
#include "ports/container_runtime.h"
#include "ports/file_descriptor.h"

namespace jettison::process {

// The process runtime: the pods it has, and who does what for them.
class Runtime : public ContainerRuntime {
 public:
  Runtime(std::unique_ptr<pod_host::Readiness> readiness, FileDescriptor lock,
          const ProcessRuntimeOptions& options, std::string boot_id, Cgroups& cgroups,
          const Clock& clock);

  [[nodiscard]] Result<void> Ready() override;
  [[nodiscard]] Result<std::vector<RuntimePod>> List() override;
  void CreatePod(const Pod& pod) override;
  void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                      int oom_score_adj) override;
  void StopContainer(const std::string& pod_uid, const std::string& container,
                     Duration grace) override;
  void KillContainer(const std::string& pod_uid, const std::string& container) override;
  void RemoveContainer(const std::string& pod_uid, const std::string& container,
                       int attempt) override;
  [[nodiscard]] bool RemovingContainers() const override { return dead_runs_.busy(); }
  void RemovePod(const std::string& pod_uid) override;
  [[nodiscard]] PodDisk DiskOf(const Pod& pod) const override;
  [[nodiscard]] std::string_view GroupOf(const std::string& pod_uid,
                                         const std::string& container) const override;
  // Nobody else runs pods in it.
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const std::string&) const override {
    return no_groups_;
  }
  [[nodiscard]] const std::vector<GroupLimits>& QosLimits() const override { return qos_limits_; }
  [[nodiscard]] int EventFd() const override { return readiness_->fd(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override;

 private:
  struct PodEntry {
    Pod pod;
    std::string group;
    std::map<std::string, std::string> container_groups;        // names, in that group
    std::map<std::string, std::unique_ptr<ContainerRun>> runs;  // the newest of each container
    std::map<std::string, int> newest;  // its attempt, known also of those that ended long ago
    std::optional<PodRemoval> removal;
    bool removing = false;              // as soon as no run is left
    std::optional<Error> create_error;  // it could not be created: PodFailed at the end
  };

  // The pod's record, with the names of its groups; none of them is made.
  PodEntry& Enter(Pod pod);
  [[nodiscard]] Result<void> MakePod(const PodEntry& entry);
  // Folders, groups and volumes; what is there already is kept.
  [[nodiscard]] Result<void> PreparePod(const PodEntry& entry);
  [[nodiscard]] PodEntry* Find(const std::string& pod_uid);
  [[nodiscard]] ContainerRun* FindRun(const std::string& pod_uid, const std::string& container);
  [[nodiscard]] std::optional<std::string> MountPointUserOf(std::string_view path) const;
  void BeginRemoval(PodEntry& entry);
  void ContinueRemovals();
  void UpdateQosGroups();
  [[nodiscard]] std::string GroupOfContainer(const std::string& pod_group,
                                             const std::string& container) const;

  // What an earlier agent has left (adoption.cc).
  [[nodiscard]] std::optional<Pod> ReadPod(const std::string& uid);
  [[nodiscard]] std::vector<ContainerRecord> AdoptRuns(PodEntry& entry);
  [[nodiscard]] std::optional<ContainerRecord> AdoptRun(PodEntry& entry, FoundRun run,
                                                        bool oom_killed, Instant earliest);
  void RemoveLeftover(const std::string& uid);

  std::unique_ptr<pod_host::Readiness> readiness_;
  FileDescriptor lock_;
  Surroundings surroundings_;
  std::map<std::string, PodEntry> pods_;
  std::vector<GroupLimits> qos_limits_;
  const std::vector<std::string> no_groups_;
  DeadRuns dead_runs_{surroundings_};
};

}  // namespace jettison::process
