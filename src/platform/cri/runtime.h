#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platform/cri/foreign_pods.h"
#include "platform/cri/lifetime.h"
#include "platform/cri/log_rotation.h"
#include "platform/cri/pod_actor.h"
#include "platform/cri/pod_removal.h"
#include "platform/cri/surroundings.h"
#include "ports/container_runtime.h"
#include "ports/file_descriptor.h"

namespace jettison::cri {

// The runtime's parts that tests replace.
struct RuntimeEdges {
  std::unique_ptr<Calls> calls;
  std::unique_ptr<Processes> processes;
  std::unique_ptr<pod_host::Readiness> readiness;
  FileDescriptor lock;
  // With the cgroup driver systemd alone; uses the readiness.
  std::unique_ptr<Slices> slices = nullptr;
};

// The CRI runtime: the pods it has, and who does what for them.
class Runtime : public ContainerRuntime {
 public:
  Runtime(RuntimeEdges edges, const CriRuntimeOptions& options, Cgroups& cgroups,
          const Clock& clock);

  [[nodiscard]] Result<void> Ready() override;
  [[nodiscard]] std::vector<RuntimePod> Recall() override;
  [[nodiscard]] Result<std::vector<RuntimePod>> List() override;
  void CreatePod(const Pod& pod) override;
  void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                      int oom_score_adj) override;
  void StopContainer(const std::string& pod_uid, const std::string& container,
                     Duration grace) override;
  void KillContainer(const std::string& pod_uid, const std::string& container) override;
  void RemoveContainer(const std::string& pod_uid, const std::string& container,
                       int attempt) override;
  void RemovePod(const std::string& pod_uid) override;
  void Drain() override { surroundings_.draining = true; }
  [[nodiscard]] bool IsMaking() const override { return surroundings_.making.use_count() > 1; }
  [[nodiscard]] PodDisk DiskOf(const Pod& pod) const override;
  [[nodiscard]] std::string_view GroupOf(const std::string& pod_uid,
                                         const std::string& container) const override;
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(
      const std::string& pod_uid) const override;
  [[nodiscard]] const std::vector<GroupLimits>& QosLimits() const override { return qos_limits_; }
  [[nodiscard]] int EventFd() const override { return readiness_->fd(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override;

 private:
  // A call that makes a sandbox, and whose client is gone, is over in a minute: so many listings.
  static constexpr int kLateListings = 6;

  // One question whether the runtime answers and is ready; shared with its answers.
  struct Probe {
    std::optional<Result<void>> outcome;
  };
  // One question what it runs, in two rounds; shared with its answers.
  struct Inquiry;
  // What was found at the start (adoption.cc).
  struct Found {
    std::vector<api::PodSandbox> sandboxes;
    std::vector<api::Container> containers;
    std::vector<api::ContainerStatusResponse> statuses;
    Listing of_others;
  };
  using Listed = std::function<void(Result<Listing>)>;

  [[nodiscard]] PodActor* Find(const std::string& pod_uid);
  // Somebody else's pod; null: there is none, or a pod of this agent has the UID.
  [[nodiscard]] ForeignPod* FindForeign(const std::string& pod_uid) const;
  // Hands out answers until `done`, at most for so long; whether it is.
  bool Await(Duration timeout, const std::function<bool()>& done);
  void StartProbe();
  void UpdateQosGroups();
  [[nodiscard]] std::vector<RunningLog> RunningLogs() const;
  void Advance();
  void WriteRecords();

  // Everything that the runtime has, both lists in one answer.
  void ListAll(Listed listed);
  [[nodiscard]] Result<Found> FindAll();
  void AskStatuses(const std::shared_ptr<Inquiry>& inquiry);
  [[nodiscard]] static Result<Found> FoundBy(Inquiry& inquiry);
  [[nodiscard]] std::vector<RuntimePod> Adopt(const Found& found);
  [[nodiscard]] std::optional<Pod> ReadPod(const api::PodSandbox& sandbox);
  [[nodiscard]] std::vector<std::pair<Pod, PodRecord>> ReadRecords();
  void AdoptUnlisted(const std::set<std::string>& listed, std::vector<RuntimePod>& pods);
  void RemoveLeftovers(const Found& found);
  [[nodiscard]] std::vector<std::string> GroupsOf(const std::string& uid) const;
  void RemoveLeftover(const std::string& uid);
  void AdoptOthers(const Listing& listing, std::vector<RuntimePod>& pods);

  // The slow truth (relist.cc).
  void ScheduleRelist(Duration delay);
  void Relist();
  void OnListing(const Result<Listing>& listing);
  void RemoveStrangers(const Listing& listing);
  void SweepLateGroups();

  RuntimeEdges edges_;
  pod_host::Readiness* readiness_;
  Surroundings surroundings_;
  std::shared_ptr<Probe> probe_;
  std::shared_ptr<Inquiry> inquiry_;
  bool recalled_ = false;  // pods are guarded already, and nothing waits for an answer any more
  std::map<std::string, std::unique_ptr<PodActor>> pods_;
  std::vector<GroupLimits> qos_limits_;
  const std::vector<std::string> no_groups_;
  // Attempts of sandboxes of pods that could not be made, whose names may still be taken.
  std::map<std::string, std::uint32_t> first_attempts_;
  // Pods whose sandbox was being made when they, or their agent, ended: the runtime may make groups
  // for it still. In how many more listings these are looked for.
  std::map<std::string, int> late_groups_;
  // Remains of pods that nobody asks for, by UID, and sandboxes of pods that have another.
  std::map<std::string, std::unique_ptr<PodRemoval>> leftovers_;
  std::map<std::string, std::unique_ptr<SandboxClearance>> stale_;
  std::vector<std::string> done_stale_;
  std::unique_ptr<ChildJob> doomed_job_;
  ForeignPods foreign_;
  LogRotation rotation_;
  bool adopted_ = false;
  bool relisting_ = false;
  pod_host::Readiness::Watch on_answers_;
  pod_host::Readiness::Watch on_relist_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
