#include "runtimes/cri/containers/container_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "containers/container_exit.h"
#include "containers/cri_container.h"
#include "kernel/files/files.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_plan.h"
#include "rpc/verbose_info.h"
#include "runtimes/cri/containers/sandboxes.h"
#include "runtimes/cri/containers/sub_path.h"

namespace jettison::cri {
namespace {

// Enough for a large image over a slow line; the pod can be removed meanwhile.
constexpr Duration kPullDeadline = std::chrono::minutes(15);
// A start that was killed is given up if the runtime does not answer for this long.
constexpr Duration kStartPatience = std::chrono::seconds(1);
// Between two looks at a container that was started.
constexpr Duration kFirstLook = std::chrono::milliseconds(20);
constexpr Duration kLastLook = std::chrono::seconds(2);
constexpr Duration kInterruptedLook = std::chrono::milliseconds(50);
constexpr Duration kInterruptedPatience = std::chrono::seconds(10);

ImageFacts FactsOf(const api::ImageStatusResponse& status) {
  const api::Image& image = status.image();
  ImageFacts facts{.id = image.id(), .user_name = image.username()};
  if (image.has_uid()) facts.user = image.uid().value();
  if (const auto info = status.info().find("info"); info != status.info().end()) {
    facts.stop_signal = StopSignalIn(info->second);
  }
  return facts;
}

}  // namespace

Result<std::optional<pid_t>> FirstProcessOf(const RuntimeContext& context,
                                            const std::string& pod_group,
                                            const std::string& container_id, Counts counts) {
  const auto group = GroupOfContainer(context.cgroups, pod_group, container_id);
  if (!group && group.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!group) return Fail(group.error());
  const auto first = FirstProcessIn(context.processes, context.cgroups,
                                    kernel::ContainerGroup(pod_group, *group), counts);
  if (!first) return Fail(first.error());
  return *first ? std::optional((*first)->pid) : std::nullopt;
}

ContainerRun::ContainerRun(RuntimeContext& context, const StartOrder& order)
    : context_(context),
      order_(order),
      policy_(order.container.image_pull_policy.value_or(DefaultPullPolicy(order.container.image))),
      running_(context, {.pod = order_.pod,
                         .container = order_.container,
                         .pod_group = order_.pod_group,
                         .attempt = order_.attempt}) {}

std::optional<StartedContainer> ContainerRun::KnownOrOrdered() const {
  if (phase_ != Phase::kStarting) return Known();
  return id_.empty() ? std::nullopt : std::optional(Ordered());
}

void ContainerRun::Begin(const StartedContainer& container) {
  phase_ = Phase::kStarted;
  running_.Begin(container, std::make_shared<CriContainer>(context_.calls, container.id));
}

void ContainerRun::Adopt(const StartedContainer& container) {
  running_.Expect();
  Begin(container);
  (void)running_.LookForEnd();
}

void ContainerRun::Start(const Sandbox& sandbox) {
  if (phase_ != Phase::kStarting || busy_) return;
  if (abandoned_) return RefuseAbandoned();
  running_.Expect();
  busy_ = true;
  sandbox_ = sandbox;
  ordered_ = context_.clock.Now();
  if (order_.interrupted.empty()) return FetchImage();
  RemoveInterrupted();
}

void ContainerRun::RemoveInterrupted() {
  RemoveContainerWithTask(context_.calls, order_.interrupted, context_.options.request_timeout,
                          Then(&ContainerRun::OnInterruptedRemoved));
}

// The runtime may still be starting it: containerd goes on with a call whose caller has ended,
// refuses to remove the container until the call is over, and only then kills the process.
void ContainerRun::OnInterruptedRemoved(const Result<void>& removed) {
  if (removed) return FetchImage();
  if (context_.clock.Now() - ordered_ >= kInterruptedPatience) {
    return Refuse(StartFailure::kCreate,
                  removed.error().In("remove what is left of an interrupted start"));
  }
  retry_ = context_.readiness.After(kInterruptedLook, [this] {
    retry_.Stop();
    RemoveInterrupted();
  });
}

void ContainerRun::FetchImage() {
  if (policy_ == PullPolicy::kAlways) return PullImage();
  InspectImage(policy_ == PullPolicy::kIfNotPresent);
}

void ContainerRun::InspectImage(bool may_pull) {
  may_pull_ = may_pull;
  api::ImageStatusRequest request;
  request.mutable_image()->set_image(order_.container.image);
  request.set_verbose(true);
  context_.calls.Make(kImageStatus, request, context_.options.request_timeout,
                      Then(&ContainerRun::OnImage));
}

// Some runtimes return no image that is missing, others the status NotFound.
void ContainerRun::OnImage(const Result<api::ImageStatusResponse>& answer) {
  const std::string& image = order_.container.image;
  if (!answer && answer.error().code != ErrorCode::kNotFound) {
    return Refuse(StartFailure::kImageInspect,
                  answer.error().In(fmt::format("Failed to inspect image \"{}\"", image)));
  }
  if (answer && answer->has_image()) {
    image_ = FactsOf(*answer);
    if (!image_.id.empty()) return Prepare();
    return Refuse(
        StartFailure::kImageInspect,
        {ErrorCode::kInternal, fmt::format("the runtime gave no ID of image \"{}\"", image)});
  }
  if (may_pull_) return PullImage();
  if (policy_ == PullPolicy::kNever) {
    return Refuse(
        StartFailure::kImageNeverPull,
        {ErrorCode::kNotFound,
         fmt::format("Container image \"{}\" is not present with pull policy of Never", image)});
  }
  Refuse(StartFailure::kImagePull,
         {ErrorCode::kInternal,
          fmt::format("image \"{}\" was pulled, but the runtime does not have it", image)});
}

void ContainerRun::PullImage() {
  api::PullImageRequest request;
  request.mutable_image()->set_image(order_.container.image);
  context_.calls.Make(kPullImage, request, kPullDeadline, Then(&ContainerRun::OnPulled));
}

void ContainerRun::OnPulled(const Result<api::PullImageResponse>& answer) {
  if (answer) return InspectImage(false);
  Refuse(StartFailure::kImagePull,
         answer.error().In(fmt::format("Failed to pull image \"{}\"", order_.container.image)));
}

Result<std::vector<kernel::PathStep>> ContainerRun::PlanMounts() {
  const Pod& pod = order_.pod;
  const Container& container = order_.container;
  auto plan = kernel::PlanMounts(context_.paths, pod, container);
  if (!plan) return Fail(plan.error());
  std::vector<kernel::PathStep> steps;
  for (const kernel::PlannedMount& mount : *plan) {
    std::string host_path = mount.source;
    if (!mount.sub_path.empty()) {
      host_path = fmt::format("{}/sub-paths/{}/{}", context_.paths.Pod(pod.uid), container.name,
                              mounts_.size());
      const SubPath sub_path{mount.source, mount.sub_path, mount.kept_by_operator};
      steps.push_back({.what = "subPath of volume at " + mount.target,
                       .path = fmt::format("{}/{}", mount.source, mount.sub_path),
                       .work = [sub_path, place = host_path](const std::atomic<bool>& wanted) {
                         return BindSubPath(sub_path, place, wanted);
                       }});
    }
    mounts_.push_back({.host_path = std::move(host_path),
                       .container_path = mount.target,
                       .read_only = mount.read_only});
  }
  return steps;
}

void ContainerRun::Prepare() {
  if (auto allowed = CheckNonRoot(order_.pod, order_.container, image_); !allowed) {
    return Refuse(StartFailure::kConfig, allowed.error());
  }
  auto steps = PlanMounts();
  if (!steps) return Refuse(StartFailure::kConfig, steps.error());
  errand_.emplace(context_.readiness, context_.disk, context_.options.path_patience);
  const auto prepared = errand_->Begin(std::move(*steps), Then(&ContainerRun::OnMounts));
  if (prepared) OnMounts(*prepared);
}

void ContainerRun::OnMounts(const Result<void>& prepared) {
  errand_.reset();
  if (!prepared) return Refuse(StartFailure::kConfig, prepared.error());
  context_.disk.Do([logs = context_.paths.ContainerLogs(
                        order_.pod, order_.container.name)] { return kernel::MakeFolders(logs); },
                   Then(&ContainerRun::OnLogFolder));
}

void ContainerRun::OnLogFolder(const Result<void>& made) {
  if (!made) return Refuse(StartFailure::kCreate, made.error());
  Create();
}

void ContainerRun::Create() {
  api::CreateContainerRequest request;
  request.set_pod_sandbox_id(sandbox_.id);
  *request.mutable_config() = ContainerConfigOf({.pod = order_.pod,
                                                 .container = order_.container,
                                                 .attempt = order_.attempt,
                                                 .oom_score_adj = order_.oom_score_adj,
                                                 .host_network = sandbox_.host_network,
                                                 .image = image_,
                                                 .mounts = std::move(mounts_),
                                                 .limits = order_.limits});
  *request.mutable_sandbox_config() =
      DescriptionOf(context_, order_.pod, order_.pod_group, sandbox_);
  context_.calls.Make(kCreateContainer, request, context_.options.request_timeout,
                      lifetime_.Guard([this](const auto& answer) { OnCreated(answer); }));
}

void ContainerRun::OnCreated(const Result<api::CreateContainerResponse>& answer) {
  if (!answer || answer->container_id().empty()) {
    // A container that is incomplete or whose ID is unknown is found by its labels.
    context_.WantRelist();
    if (abandoned_) return RefuseAbandoned();
    return Refuse(StartFailure::kCreate,
                  answer ? Error{ErrorCode::kInternal,
                                 "the container runtime created a container and returned no ID"}
                         : answer.error());
  }
  id_ = answer->container_id();
  if (!order_.write_down) return StartCreated();
  order_.write_down(lifetime_.Guard([this] { StartCreated(); }));
}

void ContainerRun::StartCreated() {
  if (abandoned_) {
    RemoveContainer();
    return RefuseAbandoned();
  }
  api::StartContainerRequest request;
  request.set_container_id(id_);
  context_.calls.Make(kStartContainer, request, context_.options.request_timeout,
                      Then(&ContainerRun::OnStarted));
}

StartedContainer ContainerRun::Ordered() const {
  return {.id = id_, .stop_signal = image_.stop_signal, .started = context_.clock.Now()};
}

void ContainerRun::OnStarted(const Result<api::StartContainerResponse>& answer) {
  if (!answer) {
    RemoveContainer();
    return Refuse(StartFailure::kRun, answer.error());
  }
  Look();
}

void ContainerRun::Look() {
  api::ContainerStatusRequest request;
  request.set_container_id(id_);
  request.set_verbose(true);
  context_.calls.Make(kContainerStatus, request, context_.options.request_timeout,
                      Then(&ContainerRun::OnStatus));
}

// The container runs by now, whatever the answer is. Its process is found in the answer or in its
// group. Where there is no answer and no process, the status is requested again; where the answer
// does not tell the process, the next listings say when it has ended.
void ContainerRun::OnStatus(const Result<api::ContainerStatusResponse>& answer) {
  StartedContainer started = Ordered();
  if (answer) {
    started.started =
        InstantOfNs(answer->status().started_at(), started.started, context_.clock, ordered_);
    started.ended = answer->status().state() == api::CONTAINER_EXITED;
    started.pid = PidOf(*answer);
  } else {
    started.ended = answer.error().code == ErrorCode::kNotFound;
  }
  if (!started.pid && !started.ended) {
    started.pid = FirstProcessOf(context_, order_.pod_group, id_).value_or(std::nullopt);
  }
  if (!answer && !started.ended && !started.pid) {
    retry_ = context_.readiness.After(std::min(kernel::RetryDelay(kFirstLook, looks_++), kLastLook),
                                      [this] {
                                        retry_.Stop();
                                        Look();
                                      });
    return;
  }
  busy_ = false;
  on_patience_.Stop();
  Begin(started);
  context_.Emit(ContainerStarted{.pod_uid = order_.pod.uid,
                                 .container = order_.container.name,
                                 .attempt = order_.attempt,
                                 .at = started.started});
  if (running_.LookForEnd()) return;
  if (const auto grace = std::exchange(stop_pending_, std::nullopt)) Stop(*grace);
}

void ContainerRun::RemoveContainer() {
  // The container counts as gone from now on; if the removal fails, it is found by its labels.
  RemoveContainerWithTask(context_.calls, id_, context_.options.request_timeout,
                          lifetime_.Guard([this](const Result<void>& removed) {
                            context_.LogFailure("remove a container that did not start", removed);
                            if (!removed) context_.WantRelist();
                          }));
}

// Those who wait for the start are told within a second.
void ContainerRun::KillStart() {
  if (!std::exchange(abandoned_, true)) {
    on_patience_ = context_.readiness.After(kStartPatience, [this] {
      on_patience_.Stop();
      EndStart({StartFailure::kCreate,
                {ErrorCode::kUnavailable, "it was killed while it was being started"}});
    });
  }
  if (errand_) errand_->Hurry();
  // The next look, or removal of what was interrupted, is not needed any more.
  if (retry_) {
    retry_.Stop();
    if (!id_.empty()) RemoveContainer();
    busy_ = false;
  }
  running_.KillByName(id_);
}

void ContainerRun::Refuse(StartFailure failure, Error error) {
  busy_ = false;
  if (phase_ == Phase::kStarting) EndStart({failure, std::move(error)});
}

void ContainerRun::RefuseAbandoned() {
  Refuse(StartFailure::kCreate,
         {ErrorCode::kUnavailable, "it was ended while it was being started"});
}

void ContainerRun::EndStart(StartError why) {
  phase_ = Phase::kFailed;
  on_patience_.Stop();
  context_.RefuseStart(order_.pod.uid, order_.container.name, order_.attempt, std::move(why.error),
                       why.failure);
}

void ContainerRun::Stop(Duration grace) {
  if (phase_ == Phase::kStarting) {
    stop_pending_ = grace;
    return;
  }
  if (!running()) return;
  stop_grace_ = grace;
  if (order_.container.pre_stop && !hook_done_ && grace > Duration::zero()) {
    RunHook(grace);
  } else {
    running_.Stop(grace);
  }
}

void ContainerRun::RunHook(Duration grace) {
  on_patience_ = context_.readiness.After(grace, [this] {
    on_patience_.Stop();
    if (!running()) return;
    context_.Log(
        fmt::format("preStop of {} did not end within the grace period", running_.Described()));
    OnHookDone();
  });
  if (std::exchange(hook_running_, true)) return;
  api::ExecSyncRequest request;
  request.set_container_id(running_.id());
  for (const std::string& word : order_.container.pre_stop->command) request.add_cmd(word);
  request.set_timeout(WholeSeconds(grace));
  context_.calls.Make(kExecSync, request, grace,
                      lifetime_.Guard([this](const Result<api::ExecSyncResponse>& answer) {
                        if (hook_done_ || !running()) return;
                        context_.LogFailure("preStop of " + running_.Described(), answer);
                        if (answer && answer->exit_code() != 0) {
                          context_.Log(fmt::format("preStop of {} failed with exit status {}",
                                                   running_.Described(), answer->exit_code()));
                        }
                        OnHookDone();
                      }));
}

void ContainerRun::OnHookDone() {
  on_patience_.Stop();
  if (std::exchange(hook_done_, true)) return;
  running_.Stop(stop_grace_);
}

void ContainerRun::Kill() {
  switch (phase_) {
    case Phase::kStarting: return KillStart();
    case Phase::kStarted: return running_.Kill();
    case Phase::kFailed: return;
  }
}

}  // namespace jettison::cri
