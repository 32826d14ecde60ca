#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "containers/running_container.h"
#include "kernel/processes/processes.h"
#include "kernel/readiness/disk_work.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/containers/container_config.h"
#include "runtimes/cri/containers/image_fetch.h"
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

// Brings one run of a container up: what is left of an interrupted start is removed, then come
// image, container, start and first look. What fails leaves no container behind.
class ContainerStart {
 public:
  using Outcome = tl::expected<StartedContainer, StartError>;
  using Done = std::function<void(Outcome)>;

  // `done` is called once, not before Start has returned.
  ContainerStart(RuntimeContext& context, const StartOrder& order, Done done);
  void Start(const Sandbox& sandbox);
  // Cancels the start: what has been created is killed and removed as soon as the runtime answers,
  // and the start fails.
  void Abandon();

  // Empty before the runtime has made the container.
  [[nodiscard]] const std::string& id() const { return id_; }
  // What is known of it before it runs: the ID, which it must have, the image's stop signal, and
  // when it was ordered.
  [[nodiscard]] StartedContainer Ordered() const;
  // A call waits for its answer, or will be made.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  void RemoveInterrupted();
  void OnInterruptedRemoved(const Result<void>& removed);
  void FetchImage();
  // Fills `mounts_`; the steps that make what is not there yet.
  [[nodiscard]] Result<std::vector<kernel::PathStep>> PlanMounts();
  void Prepare(const ImageFacts& image);
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
  void Finish(Outcome result);

  RuntimeContext& context_;
  StartOrder order_;
  Done done_;
  Sandbox sandbox_;
  Instant ordered_;  // it starts later
  std::optional<ImageFetch> image_;
  ImageFacts image_facts_;
  std::vector<HostMount> mounts_;
  std::optional<kernel::PathErrand> errand_;  // sub paths that have not answered yet
  std::optional<int> stop_signal_;
  std::string id_;
  bool busy_ = true;
  bool abandoned_ = false;
  int looks_ = 0;
  kernel::Readiness::Watch retry_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
