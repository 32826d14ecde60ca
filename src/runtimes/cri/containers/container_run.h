#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "containers/running_container.h"
#include "core/pods/start_failure.h"
#include "kernel/processes/processes.h"
#include "kernel/readiness/disk_work.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/containers/config.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {

// What a run of a container is started from. The references outlive the start.
struct StartOrder {
  const Pod& pod;
  const Container& container;
  const std::string& pod_group;
  int attempt = 0;
  int oom_score_adj = 0;
  CgroupLimits limits = {};
  // Called when the runtime has created the container and before it starts it, so that its process
  // can be matched to it by the ID after a restart of the agent.
  // It calls `then` once that is on the disk. May be null.
  std::function<void(std::function<void()> then)> write_down = nullptr;
  // The ID of a container whose start was interrupted, and in whose place this one is started;
  // empty: there is none. It is removed first, so that there are never two processes of one
  // container.
  std::string interrupted = {};
};

// The first process of a container by its group, whose name holds its ID; absent: there is none.
// Fails where the group cannot be read.
[[nodiscard]] Result<std::optional<pid_t>> FirstProcessOf(const RuntimeContext& context,
                                                          const std::string& pod_group,
                                                          const std::string& container_id,
                                                          Counts counts = Counts::kAll);

// One run of a container of this agent from its start, or its adoption, to its end. It tells what
// happens as events: ContainerStarted and later ContainerExited, or ContainerStartFailed alone.
class ContainerRun {
 public:
  // What the order refers to must outlive the run.
  ContainerRun(RuntimeContext& context, const StartOrder& order);
  ContainerRun(const ContainerRun&) = delete;
  ContainerRun& operator=(const ContainerRun&) = delete;
  // What runs goes on running.
  ~ContainerRun() = default;

  // Brings it up in this sandbox: what is left of an interrupted start is removed, then come image,
  // container, start and first look. What fails leaves no container behind.
  void Start(const Sandbox& sandbox);
  // Reports that it cannot be started, for a reason outside the container.
  void RefuseStart(Error error) { EndStart({StartFailure::kCreate, std::move(error)}); }
  // Takes over a run that was found alive, without telling that it started.
  void Adopt(const StartedContainer& container);
  // The preStop hook, then the image's stop signal, TERM if it has none; a run that is still being
  // started is stopped once it runs. May be repeated, with less time.
  void Stop(Duration grace);
  // KILL for its whole group; the runtime is told afterwards. A run that is being started ends, for
  // those who wait for it, within a second.
  void Kill();
  // A listing of the runtime contains this run as ended, or does not contain it.
  void OnListedDead() { running_.OnListedDead(); }

  // Its process runs, as far as is known.
  [[nodiscard]] bool running() const { return running_.running(); }
  [[nodiscard]] bool ended() const { return phase_ == Phase::kFailed || running_.ended(); }
  // Its start awaits an answer.
  [[nodiscard]] bool busy() const { return busy_; }
  [[nodiscard]] int attempt() const { return order_.attempt; }
  // The runtime's ID of it; empty before there is one, and where it could not be started.
  [[nodiscard]] const std::string& id() const {
    return phase_ == Phase::kStarting ? id_ : running_.id();
  }
  // The ID of a container that was made for a start that has failed, and that may be there still;
  // empty: there is none.
  [[nodiscard]] std::string left_by_failed_start() const {
    return phase_ == Phase::kFailed ? id_ : std::string();
  }
  // What there is to find it by after a restart of the agent; absent while no process of it is
  // known.
  [[nodiscard]] std::optional<StartedContainer> Known() const { return running_.Known(); }
  // The same, and before that what its start was ordered with, once the runtime has made it.
  [[nodiscard]] std::optional<StartedContainer> KnownOrOrdered() const;
  // The name of its group below the pod's; empty: none, or not known.
  [[nodiscard]] const std::string& group() const { return running_.group(); }
  // The folder that takes what it writes; empty: not known.
  [[nodiscard]] const std::string& layer() const { return running_.layer(); }

 private:
  enum class Phase : std::uint8_t { kStarting, kStarted, kFailed };

  // A callback that goes on with `step`, unless the start was abandoned meanwhile.
  template <typename Answer>
  [[nodiscard]] auto Then(void (ContainerRun::*step)(Answer)) {
    return lifetime_.Guard([this, step](Answer answer) {
      if (!abandoned_) return (this->*step)(answer);
      if (!id_.empty()) RemoveContainer();
      RefuseAbandoned();
    });
  }
  void RemoveInterrupted();
  void OnInterruptedRemoved(const Result<void>& removed);
  // The image is found, and pulled where its policy wants that. Errors have the kubelet's words
  // (pkg/kubelet/images). `may_pull`: an image that is missing (still) has to be pulled.
  void FetchImage();
  void InspectImage(bool may_pull);
  void OnImage(const Result<api::ImageStatusResponse>& answer);
  void PullImage();
  void OnPulled(const Result<api::PullImageResponse>& answer);
  // Fills `mounts_`; the steps that make what is not there yet.
  [[nodiscard]] Result<std::vector<kernel::PathStep>> PlanMounts();
  void Prepare();
  void OnMounts(const Result<void>& prepared);
  void OnLogFolder(const Result<void>& made);
  void Create();
  void OnCreated(const Result<api::CreateContainerResponse>& answer);
  void StartCreated();
  void OnStarted(const Result<api::StartContainerResponse>& answer);
  void Look();
  void OnStatus(const Result<api::ContainerStatusResponse>& answer);
  void RemoveContainer();
  void Refuse(StartFailure failure, Error error);
  void RefuseAbandoned();
  void Begin(const StartedContainer& container);
  // What is known of it before it runs: the ID, the image's stop signal, and that it starts now.
  [[nodiscard]] StartedContainer Ordered() const;
  void EndStart(StartError why);
  void RunHook(Duration grace);
  void OnHookDone();
  void KillStart();

  RuntimeContext& context_;
  StartOrder order_;
  Phase phase_ = Phase::kStarting;
  // Of the start:
  Sandbox sandbox_;
  Instant ordered_;  // it starts later
  PullPolicy policy_;
  bool may_pull_ = false;
  ImageFacts image_;
  std::vector<HostMount> mounts_;
  std::optional<kernel::PathErrand> errand_;  // sub paths that have not answered yet
  std::string id_;                            // empty before the runtime has made the container
  bool busy_ = false;
  bool abandoned_ = false;  // it was killed: what has been made is removed when the runtime answers
  kernel::Readiness::Watch retry_;
  int looks_ = 0;
  // Of the run:
  RunningContainer running_;
  bool hook_running_ = false;
  bool hook_done_ = false;
  Duration stop_grace_{};
  std::optional<Duration> stop_pending_;
  kernel::Readiness::Watch on_patience_;  // for a start or a hook, one after the other
  Lifetime lifetime_;
};

}  // namespace jettison::cri
