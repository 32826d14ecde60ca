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
#include "pod_host/qos_groups.h"
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
  void CreatePod(const PodPlan& plan) override;
  void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                      int oom_score_adj) override;
  void StopContainer(const std::string& pod_uid, const std::string& container,
                     Duration grace) override;
  void KillContainer(const std::string& pod_uid, const std::string& container) override;
  void RemoveContainer(const std::string& pod_uid, const std::string& container,
                       int attempt) override;
  [[nodiscard]] bool RemovingContainers() const override;
  void RemovePod(const std::string& pod_uid) override;
  void Drain() override { surroundings_.draining = true; }
  [[nodiscard]] bool IsMaking() const override { return surroundings_.making.use_count() > 1; }
  [[nodiscard]] PodDisk DiskOf(const Pod& pod) const override;
  [[nodiscard]] std::string_view GroupOf(const std::string& pod_uid,
                                         const std::string& container) const override;
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(
      const std::string& pod_uid) const override;
  [[nodiscard]] const std::vector<GroupLimits>& QosLimits() const override {
    return qos_groups_.limits();
  }
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
    Listing own;
    std::vector<api::ContainerStatusResponse> statuses;  // of its containers, in their order
    Listing of_others;
    std::optional<PodPlan> plan;  // set: all of it is this pod's
  };
  using Listed = std::function<void(Result<Listing>)>;
  // Those of one pod, of which the first one counts.
  using Sandboxes = std::vector<const api::PodSandbox*>;
  // A pod of an earlier agent that cannot be read (unread_pods.cc). While something of it runs, or
  // may, no pod of its UID is made.
  struct Unread {
    Error error;               // kInvalidArgument: what describes it is damaged or missing
    std::string sandbox = {};  // the ID; empty: the runtime has none
    std::optional<PodPlan> wanted = std::nullopt;  // since the last listing, of this UID
    bool asked = false;                            // it is about to be taken over
  };

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
  // Asks how the containers of a listing stand.
  void AskAbout(Listing listing, std::function<void(Result<Found>)> done);
  [[nodiscard]] std::vector<RuntimePod> Adopt(const Found& found);
  // Those that this agent made, by UID.
  [[nodiscard]] std::map<std::string, Sandboxes> OwnSandboxes(const Listing& listing) const;
  // kInvalidArgument: what describes the pod is damaged or missing.
  [[nodiscard]] Result<PodPlan> ReadPod(const std::string& uid, const Sandboxes& sandboxes) const;
  [[nodiscard]] Result<PodPlan> ParsePod(const std::string& text, const std::string& uid) const;
  [[nodiscard]] bool IsInHostNetwork(const api::PodSandbox& sandbox) const;
  // kNotFound: none was written.
  [[nodiscard]] Result<std::pair<PodPlan, PodRecord>> ReadRecord(const std::string& uid) const;
  [[nodiscard]] std::vector<std::pair<PodPlan, PodRecord>> ReadRecords();
  void AdoptUnlisted(const std::set<std::string>& listed, std::vector<RuntimePod>& pods);
  void AdoptOthers(Found found, std::vector<RuntimePod>& pods);

  // Pods that nobody asks for (leftovers.cc).
  void RemoveLeftovers(const Listing& own);
  void RemoveUnlessWritten(const std::string& uid, const Listing& own);
  [[nodiscard]] std::vector<std::string> GroupsOf(const std::string& uid) const;
  void RemoveLeftover(const std::string& uid);
  void RemoveRemains(PodRemains remains);

  // Pods of an earlier agent that cannot be read (unread_pods.cc).
  [[nodiscard]] bool IsUnread(const api::PodSandbox& sandbox) const;
  [[nodiscard]] bool IsInhabited(const std::string& uid) const;
  [[nodiscard]] bool MayRun(const std::string& uid, const Sandboxes& sandboxes,
                            const Listing& listing) const;
  void EnterUnread(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing,
                   const Error& error);
  [[nodiscard]] std::string HowToEnd(const std::string& uid) const;
  void RefuseUnread(const PodPlan& plan);
  void TendUnread(const Listing& listing);
  void TendUnreadPod(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing);
  void TakeOverUnread(const PodPlan& plan, const Sandboxes& sandboxes, const Listing& listing);
  void RecallUnread(const std::string& uid);
  void QuarantineUnread(const std::string& uid);

  // The slow truth (relist.cc).
  void ScheduleRelist(Duration delay);
  void Relist();
  void OnListing(const Result<Listing>& listing);
  void RemoveStrangers(const Listing& listing);
  void RemoveStranger(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing);
  void SweepLateGroups();

  RuntimeEdges edges_;
  pod_host::Readiness* readiness_;
  Surroundings surroundings_;
  std::shared_ptr<Probe> probe_;
  std::shared_ptr<Inquiry> inquiry_;
  std::set<std::string> gone_unlisted_;  // pods that were recalled and gone before the first List
  bool recalled_ = false;  // pods are guarded already, and nothing waits for an answer any more
  std::map<std::string, std::unique_ptr<PodActor>> pods_;
  std::map<std::string, Unread> unread_;  // by UID; none of them is in pods_
  pod_host::QosGroups qos_groups_;
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
  Instant leftovers_since_;
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
