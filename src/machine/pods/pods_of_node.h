#pragma once

#include <sys/eventfd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"
#include "kernel/readiness/readiness.h"
#include "pods/run_dependencies.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/file_descriptor.h"
#include "rpc/calls.h"
#include "runtimes/cri/containers/cri_options.h"
#include "runtimes/cri/cri_runtime.h"
#include "sources/foreign/foreign_roster.h"

namespace jettison {

// The runtime of an agent that runs no pods itself: all of the node's are foreign.
class NoOwnPods : public OwnRuntime {
 public:
  // `calls`: those of a container runtime that the agent uses for something else than pods. Their
  // answers come from TakeEvents. Null: there is none.
  explicit NoOwnPods(std::unique_ptr<cri::Calls> calls) : calls_(std::move(calls)) {}

  [[nodiscard]] UidClaim ClaimOn(const std::string&) const override { return UidClaim::kNone; }
  void OnTaken(std::function<void(const std::string&)>) override {}

  [[nodiscard]] Result<std::vector<RuntimePod>> List() override {
    return std::vector<RuntimePod>{};
  }
  void CreatePod(const PodPlan&) override {}
  void StartContainer(const std::string&, const std::string&, int, int) override {}
  void StopContainer(const std::string&, const std::string&, Duration) override {}
  void KillContainer(const std::string&, const std::string&) override {}
  void RemoveContainer(const std::string&, const std::string&, int) override {}
  void RemovePod(const std::string&) override {}
  [[nodiscard]] PodDisk DiskOf(const Pod&) const override { return {}; }
  [[nodiscard]] std::string_view GroupOf(const std::string&, const std::string&) const override {
    return {};
  }
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const std::string&) const override {
    static const std::vector<std::string> kNone;
    return kNone;
  }
  // Readable when answers have come.
  [[nodiscard]] int EventFd() const override { return calls_ ? calls_->fd() : nothing_.get(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override {
    if (calls_) calls_->Deliver();
    return {};
  }

 private:
  std::unique_ptr<cri::Calls> calls_;
  FileDescriptor nothing_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

// What the pods of a node are opened with. The references must outlive them.
struct NodePodsSetup {
  std::shared_ptr<Processes> processes;
  Cgroups& cgroups;
  GroupEnd& group_end;
  const Clock& clock;
  std::string cgroup_prefix = {};  // the node's own group (NodeGroups)
  kernel::GroupNames group_names = {};
  Duration request_timeout = std::chrono::minutes(2);  // see RunDependencies
  std::function<void(std::string_view)> log = {};      // the same
};

// Every pod of the node: the runtime's own pods, and the foreign pods that sources find. Each
// command goes to the owner of the pod; where both have a pod of the UID, to the runtime.
class PodsOfNode : public ContainerRuntime {
 public:
  // Fails where nothing can be waited for.
  [[nodiscard]] static Result<std::unique_ptr<PodsOfNode>> Open(std::unique_ptr<OwnRuntime> own,
                                                                NodePodsSetup setup);
  PodsOfNode(const PodsOfNode&) = delete;
  PodsOfNode& operator=(const PodsOfNode&) = delete;
  ~PodsOfNode() override = default;

  // What a source is opened with.
  [[nodiscard]] SourceDependencies source_dependencies() {
    return {.run = run_, .groups = groups_, .roster = roster_};
  }
  // Whether the runtime has a pod of this UID, or the remains of one.
  [[nodiscard]] bool IsOwn(const std::string& uid) const {
    return own_->ClaimOn(uid) != UidClaim::kNone;
  }
  void Add(std::unique_ptr<ForeignSource> source) { sources_.push_back(std::move(source)); }

  [[nodiscard]] std::vector<RuntimePod> Recall() override;
  [[nodiscard]] Result<std::vector<RuntimePod>> List() override;
  void CreatePod(const PodPlan& plan) override { own_->CreatePod(plan); }
  void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                      int oom_score_adj) override {
    own_->StartContainer(pod_uid, container, attempt, oom_score_adj);
  }
  void StopContainer(const std::string& pod_uid, const std::string& container,
                     Duration grace) override;
  void KillContainer(const std::string& pod_uid, const std::string& container) override;
  void RemoveContainer(const std::string& pod_uid, const std::string& container,
                       int attempt) override {
    own_->RemoveContainer(pod_uid, container, attempt);
  }
  [[nodiscard]] bool RemovingContainers() const override { return own_->RemovingContainers(); }
  void RemovePod(const std::string& pod_uid) override;
  [[nodiscard]] PodDisk DiskOf(const Pod& pod) const override;
  [[nodiscard]] std::string_view GroupOf(const std::string& pod_uid,
                                         const std::string& container) const override;
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(
      const std::string& pod_uid) const override;
  [[nodiscard]] std::vector<std::string> NotGuarded() const override;
  [[nodiscard]] int EventFd() const override { return readiness_->fd(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override;

 private:
  PodsOfNode(std::unique_ptr<OwnRuntime> own, std::unique_ptr<kernel::Readiness> readiness,
             NodePodsSetup setup);
  // A foreign pod; null: there is none, or the runtime has one of the UID.
  [[nodiscard]] ForeignPod* FindOther(const std::string& uid) const;
  void OnFound(RuntimePod pod);

  std::unique_ptr<OwnRuntime> own_;
  std::shared_ptr<Processes> processes_;
  std::unique_ptr<kernel::Readiness> readiness_;
  RunDependencies run_;
  NodeGroups groups_;
  ForeignRoster roster_;
  std::vector<std::unique_ptr<ForeignSource>> sources_;
  std::vector<RuntimePod>* listed_ = nullptr;  // while List collects: where foreign pods go
  bool recalled_ = false;  // pods are guarded already, and nothing waits for an answer any more
  kernel::Readiness::Watch on_own_;
};

// What the sources beside a CRI runtime are opened with. References must outlive the runtime that
// comes of it.
struct CriDependencies {
  cri::Calls& calls;  // the runtime's
  const CriRuntimeOptions& options;
  // Whether pods that others run on the same container runtime are found, measured and, if told to,
  // ended (docs/cri-runtime.md, "Foreign pods"). Those of an earlier agent that this one has not
  // taken over are in any case.
  bool adopt = false;
  std::shared_ptr<Processes> processes;
  Cgroups& cgroups;
  GroupEnd& group_end;
  const Clock& clock;
};

// The pods of this runtime and those that others run on the same container runtime. Fails where
// nothing can be waited for.
[[nodiscard]] Result<std::unique_ptr<ContainerRuntime>> WithForeignPods(
    std::unique_ptr<CriRuntime> runtime, CriDependencies dependencies);

}  // namespace jettison
