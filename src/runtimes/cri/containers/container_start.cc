#include "runtimes/cri/containers/container_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "containers/container_exit.h"
#include "core/pods/variables.h"
#include "kernel/files/files.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_plan.h"
#include "rpc/verbose_info.h"
#include "runtimes/cri/containers/sandboxes.h"
#include "runtimes/cri/containers/sub_path.h"

namespace jettison::cri {
namespace {

constexpr Duration kFirstLook = std::chrono::milliseconds(20);
constexpr Duration kLastLook = std::chrono::seconds(2);
constexpr Duration kInterruptedLook = std::chrono::milliseconds(50);
constexpr Duration kInterruptedPatience = std::chrono::seconds(10);

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

ContainerStart::ContainerStart(RuntimeContext& context, const StartOrder& order, Done done)
    : context_(context), order_(order), done_(std::move(done)) {}

void ContainerStart::Start(const Sandbox& sandbox) {
  sandbox_ = sandbox;
  ordered_ = context_.clock.Now();
  if (order_.interrupted.empty()) return FetchImage();
  RemoveInterrupted();
}

void ContainerStart::RemoveInterrupted() {
  RemoveContainerWithTask(
      context_.calls, order_.interrupted, context_.options.request_timeout,
      lifetime_.Guard([this](const Result<void>& removed) { OnInterruptedRemoved(removed); }));
}

// The runtime may still be starting it: containerd goes on with a call whose caller has ended,
// refuses to remove the container until the call is over, and only then kills the process.
void ContainerStart::OnInterruptedRemoved(const Result<void>& removed) {
  if (abandoned_) return RefuseAbandoned();
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

void ContainerStart::FetchImage() {
  image_.emplace(context_, order_.container, [this](const ImageFetch::Outcome& image) {
    if (!image) return Finish(tl::unexpected(image.error()));
    if (abandoned_) return RefuseAbandoned();
    Prepare(*image);
  });
  image_->Start();
}

Result<std::vector<kernel::PathStep>> ContainerStart::PlanMounts() {
  const auto& [pod, container, group, attempt, adj, limits, write_down, interrupted] = order_;
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
                         return BindSubPath(sub_path, place, wanted).map([](const auto&) {});
                       }});
    }
    mounts_.push_back({.host_path = std::move(host_path),
                       .container_path = mount.target,
                       .read_only = mount.read_only});
  }
  return steps;
}

void ContainerStart::Prepare(const ImageFacts& image) {
  image_facts_ = image;
  stop_signal_ = image.stop_signal;
  if (auto allowed = CheckNonRoot(order_.pod, order_.container, image); !allowed) {
    return Refuse(StartFailure::kConfig, allowed.error());
  }
  if (auto fits = CheckProgram(order_.container); !fits) {
    return Refuse(StartFailure::kConfig, fits.error());
  }
  auto steps = PlanMounts();
  if (!steps) return Refuse(StartFailure::kConfig, steps.error());
  errand_.emplace(context_.readiness, context_.disk, context_.options.path_patience);
  const auto prepared =
      errand_->Begin(std::move(*steps), [this](const Result<void>& later) { OnMounts(later); });
  if (prepared) OnMounts(*prepared);
}

void ContainerStart::OnMounts(const Result<void>& prepared) {
  errand_.reset();
  if (abandoned_) return RefuseAbandoned();
  if (!prepared) return Refuse(StartFailure::kConfig, prepared.error());
  context_.disk.Do([logs = context_.paths.ContainerLogs(
                        order_.pod, order_.container.name)] { return kernel::MakeFolders(logs); },
                   lifetime_.Guard([this](const Result<void>& made) { OnLogFolder(made); }));
}

void ContainerStart::OnLogFolder(const Result<void>& made) {
  if (abandoned_) return RefuseAbandoned();
  if (!made) return Refuse(StartFailure::kCreate, made.error());
  Create();
}

void ContainerStart::Create() {
  const auto& [pod, container, group, attempt, adj, limits, write_down, interrupted] = order_;
  api::CreateContainerRequest request;
  request.set_pod_sandbox_id(sandbox_.id);
  *request.mutable_config() = ContainerConfigOf({.pod = pod,
                                                 .container = container,
                                                 .attempt = attempt,
                                                 .oom_score_adj = adj,
                                                 .host_network = sandbox_.host_network,
                                                 .image = image_facts_,
                                                 .mounts = std::move(mounts_),
                                                 .limits = limits});
  *request.mutable_sandbox_config() = DescriptionOf(context_, pod, group, sandbox_);
  context_.calls.Make(kCreateContainer, request, context_.options.request_timeout,
                      lifetime_.Guard([this](const auto& answer) { OnCreated(answer); }));
}

void ContainerStart::OnCreated(const Result<api::CreateContainerResponse>& answer) {
  if (!answer || answer->container_id().empty()) {
    // A container that is incomplete or whose ID is unknown is found by its labels.
    context_.WantRelist();
    return Refuse(StartFailure::kCreate,
                  answer ? Error{ErrorCode::kInternal,
                                 "the container runtime created a container and returned no ID"}
                         : answer.error());
  }
  id_ = answer->container_id();
  if (!order_.write_down) return StartCreated();
  order_.write_down(lifetime_.Guard([this] { StartCreated(); }));
}

void ContainerStart::StartCreated() {
  if (abandoned_) {
    RemoveContainer();
    return RefuseAbandoned();
  }
  api::StartContainerRequest request;
  request.set_container_id(id_);
  context_.calls.Make(kStartContainer, request, context_.options.request_timeout,
                      lifetime_.Guard([this](const auto& started) { OnStarted(started); }));
}

StartedContainer ContainerStart::Ordered() const {
  return {.id = id_, .stop_signal = stop_signal_, .started = ordered_};
}

void ContainerStart::OnStarted(const Result<api::StartContainerResponse>& answer) {
  if (answer && !abandoned_) return Look();
  RemoveContainer();
  if (answer) return RefuseAbandoned();
  Refuse(StartFailure::kRun, answer.error());
}

void ContainerStart::Look() {
  api::ContainerStatusRequest request;
  request.set_container_id(id_);
  request.set_verbose(true);
  context_.calls.Make(kContainerStatus, request, context_.options.request_timeout,
                      lifetime_.Guard([this](const auto& answer) { OnStatus(answer); }));
}

// The container runs by now, whatever the answer is. Its process is found in the answer or in its
// group, or the status is requested again. A container that has ended since has no process.
void ContainerStart::OnStatus(const Result<api::ContainerStatusResponse>& answer) {
  if (abandoned_) {
    RemoveContainer();
    return RefuseAbandoned();
  }
  StartedContainer started{.id = id_,
                           .ended = false,
                           .pid = std::nullopt,
                           .stop_signal = stop_signal_,
                           .started = context_.clock.Now()};
  if (answer) {
    started.started =
        InstantOfNs(answer->status().started_at(), started.started, context_.clock, ordered_);
  }
  const bool gone = !answer && answer.error().code == ErrorCode::kNotFound;
  started.ended = gone || (answer && answer->status().state() == api::CONTAINER_EXITED);
  if (answer) {
    const auto info = answer->info().find("info");
    if (info != answer->info().end()) started.pid = PidIn(info->second);
  }
  if (!started.pid && !started.ended) {
    started.pid = FirstProcessOf(context_, order_.pod_group, id_).value_or(std::nullopt);
  }
  if (answer || gone || started.pid) return Finish(std::move(started));
  const Duration delay = std::min(kFirstLook * (1 << std::min(looks_++, 10)), kLastLook);
  retry_ = context_.readiness.After(delay, [this] {
    retry_.Stop();
    Look();
  });
}

void ContainerStart::RemoveContainer() {
  // The container counts as gone from now on; if the removal fails, it is found by its labels.
  RemoveContainerWithTask(context_.calls, id_, context_.options.request_timeout,
                          lifetime_.Guard([this](const Result<void>& removed) {
                            context_.LogFailure("remove a container that did not start", removed);
                            if (!removed) context_.WantRelist();
                          }));
}

void ContainerStart::Abandon() {
  abandoned_ = true;
  if (errand_) errand_->Hurry();
  // What it waits for, the next status or the next removal, is not needed any more.
  if (retry_) {
    retry_.Stop();
    if (!id_.empty()) RemoveContainer();
    busy_ = false;
  }
}

void ContainerStart::Refuse(StartFailure failure, Error error) {
  Finish(FailStart(failure, std::move(error)));
}

void ContainerStart::RefuseAbandoned() {
  Refuse(StartFailure::kCreate,
         {ErrorCode::kUnavailable, "it was ended while it was being started"});
}

void ContainerStart::Finish(Outcome result) {
  busy_ = false;
  const Done done = done_;
  done(std::move(result));
}

}  // namespace jettison::cri
