#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/process/container_run.h"
#include "platform/process/dead_runs.h"
#include "platform/process/found_runs.h"
#include "platform/process/pod_removal.h"
#include "platform/process/surroundings.h"
#include "pod_host/path_errand.h"
#include "pod_host/qos_groups.h"
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
  void CreatePod(const PodPlan& plan) override;
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
  // Nobody else runs pods in it; of its own, those that cannot be read count as such.
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(
      const std::string& pod_uid) const override;
  [[nodiscard]] const std::vector<GroupLimits>& QosLimits() const override {
    return qos_groups_.limits();
  }
  [[nodiscard]] int EventFd() const override { return readiness_->fd(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override;

 private:
  // Why a pod of an earlier agent could not be taken over. What runs of it goes on; its record is
  // read again now and then, and when somebody creates a pod of its UID.
  struct Unread {
    Error error;                      // kInvalidArgument: something is damaged
    std::vector<std::string> groups;  // its group, from the node's own
    bool told = false;                // it runs, and the agent was told so
    bool ending = false;              // it was asked to end
  };
  struct PodEntry {
    PodPlan plan;
    std::string group;
    std::map<std::string, std::string> container_groups;        // names, in that group
    std::map<std::string, std::unique_ptr<ContainerRun>> runs;  // the newest of each container
    std::map<std::string, int> newest;  // its attempt, known also of those that ended long ago
    std::optional<PodRemoval> removal;
    std::unique_ptr<pod_host::PathErrand> errand;  // volumes that have not answered yet
    bool making = false;                           // PodReady waits for that
    bool removing = false;                         // as soon as no run is left
    std::optional<Error> create_error;             // it could not be created: PodFailed at the end
    std::optional<Unread> unread;                  // set: the plan is as much of it as is known
  };

  // The pod's record, with the names of its groups; none of them is made.
  PodEntry& Enter(PodPlan plan);
  // Folders, groups and the pod's own volumes; what is there already is kept.
  [[nodiscard]] Result<void> PreparePod(const PodEntry& entry);
  // Volumes that touch paths of others, which may never answer; `done` is called now or later.
  void PrepareForeignVolumes(PodEntry& entry, const pod_host::PathErrand::Done& done);
  void FinishPod(const std::string& uid, const Result<void>& prepared);
  [[nodiscard]] PodEntry* Find(const std::string& pod_uid);
  [[nodiscard]] ContainerRun* FindRun(const std::string& pod_uid, const std::string& container);
  [[nodiscard]] std::optional<std::string> MountPointUserOf(std::string_view path) const;
  void BeginRemoval(PodEntry& entry);
  void ContinueRemovals();
  void UpdateQosGroups();
  [[nodiscard]] std::string GroupOfContainer(const std::string& pod_group,
                                             const std::string& container) const;

  // What an earlier agent has left (adoption.cc).
  [[nodiscard]] Result<std::optional<PodPlan>> ReadPod(const std::string& uid) const;
  [[nodiscard]] Result<std::vector<FoundRun>> FindRuns(const PodEntry& entry);
  [[nodiscard]] std::vector<ContainerRecord> AdoptRuns(PodEntry& entry, std::vector<FoundRun> runs);
  [[nodiscard]] std::optional<ContainerRecord> AdoptRun(PodEntry& entry, FoundRun run,
                                                        bool oom_killed, Instant earliest);
  [[nodiscard]] Result<RuntimePod> TakeOver(PodEntry& entry);
  void RemoveLeftover(const std::string& uid);

  // Pods of an earlier agent of which something cannot be read (unread_pods.cc).
  PodEntry& EnterUnread(const std::string& uid, Error error);
  void SetUnread(PodEntry& entry, Error error);
  [[nodiscard]] Pod SketchOf(const std::string& uid) const;
  [[nodiscard]] std::string GroupInUse(const std::string& uid) const;
  [[nodiscard]] bool IsInhabited(const std::string& group) const;
  [[nodiscard]] std::optional<RuntimePod> UnreadPod(PodEntry& entry) const;
  void CreateUnread(const PodPlan& plan);
  // `certain`: a pod that is known to be the same; null: none is.
  bool TryTakeOver(const std::string& uid, const PodPlan* certain);
  void SignalUnread(const std::string& pod_uid, int signal);
  void TendUnread();
  void ScheduleTending();
  void TellUnreadEnded(const std::string& uid, PodEntry& entry);
  [[nodiscard]] bool SetAside(const std::string& uid);

  std::unique_ptr<pod_host::Readiness> readiness_;
  FileDescriptor lock_;
  Surroundings surroundings_;
  std::map<std::string, PodEntry> pods_;
  pod_host::QosGroups qos_groups_;
  const std::vector<std::string> no_groups_;
  DeadRuns dead_runs_{surroundings_};
  pod_host::Readiness::Watch on_tending_;
  Duration tending_delay_{0};
};

}  // namespace jettison::process
