#include "platform/cri/pod_actor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "platform/cri/container_removal.h"
#include "pod_host/cgroup_layout.h"
#include "pod_host/files.h"
#include "pod_host/mount_plan.h"
#include "pod_host/pod_containers.h"
#include "pod_host/volumes.h"

namespace jettison::cri {
namespace {

// Every container must be possible before any of them runs.
Result<void> CheckContainers(const pod_host::Paths& paths, const Pod& pod) {
  for (const Container* container : pod_host::ContainersOf(pod)) {
    auto plan = pod_host::PlanMounts(paths, pod, *container);
    if (!plan) return Fail(plan.error());
    if (!container->image.empty()) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("container {} has no image: set spec.containers[].image", container->name));
  }
  return {};
}

}  // namespace

PodActor::PodActor(Surroundings& surroundings, PodPlan plan)
    : surroundings_(surroundings), plan_(std::move(plan)) {
  group_ = pod_host::PodGroup(plan_.qos, pod_.uid, surroundings_.options.cgroup_driver);
}

Result<void> PodActor::Prepare() const {
  const pod_host::Paths& paths = surroundings_.paths;
  if (auto ok = CheckContainers(paths, pod_); !ok) return ok;
  if (auto made = pod_host::MakeFolders(paths.Pod(pod_.uid)); !made) return made;
  if (auto made = surroundings_.cgroups.Create(group_, plan_.limits); !made) return made;
  if (auto made = pod_host::PrepareVolumes(paths, pod_); !made) return made;
  return pod_host::MakeFolders(paths.PodLogs(pod_));
}

void PodActor::Create(std::uint32_t first_attempt) {
  MakeSandbox(first_attempt);
}

void PodActor::MakeSandbox(std::uint32_t first_attempt) {
  state_ = SandboxState::kMaking;
  sandbox_.attempt = first_attempt;
  if (auto prepared = Prepare(); !prepared) return OnSandbox(Fail(prepared.error()));
  errand_ = std::make_unique<pod_host::PathErrand>(surroundings_.readiness,
                                                   surroundings_.options.path_patience);
  const auto prepared = errand_->Begin(pod_host::VolumeSteps(surroundings_.paths, pod_),
                                       [this](const Result<void>& later) { OnVolumes(later); });
  if (prepared) OnVolumes(*prepared);
}

void PodActor::OnVolumes(const Result<void>& prepared) {
  errand_.reset();
  if (!prepared) return OnSandbox(Fail(prepared.error()));
  if (surroundings_.draining) return;
  creation_ =
      std::make_unique<SandboxCreation>(surroundings_, plan_, group_, sandbox_.attempt,
                                        [this](const Result<Sandbox>& made) { OnSandbox(made); });
  creation_->Start();
}

void PodActor::OnSandbox(const Result<Sandbox>& made) {
  const std::vector<std::string> waiting = std::exchange(waiting_, {});
  if (made) {
    sandbox_ = *made;
    state_ = SandboxState::kReady;
    if (!std::exchange(created_, true)) surroundings_.Emit(PodReady{pod_.uid});
  } else {
    sandbox_.attempt += 2;  // as many as were tried
    state_ = created_ ? SandboxState::kLost : SandboxState::kNone;
    if (!created_) FailCreation(made.error());
  }
  for (const std::string& name : waiting) {
    ContainerRun* const run = FindRun(name);
    if (run == nullptr) continue;
    if (made) {
      run->Start(sandbox_);
    } else {
      run->RefuseStart(made.error());
    }
  }
}

void PodActor::FailCreation(Error error) {
  create_error_ = std::move(error);
  removing_ = true;
  surroundings_.readiness.Wake();
}

ContainerRun* PodActor::FindRun(const std::string& name) {
  const auto run = runs_.find(name);
  return run == runs_.end() || run->second->ended() ? nullptr : run->second.get();
}

const ContainerRun* PodActor::FindRun(const std::string& name) const {
  const auto run = runs_.find(name);
  return run == runs_.end() || run->second->ended() ? nullptr : run->second.get();
}

StartOrder PodActor::OrderFor(const Container& container, int attempt, int adj) const {
  return {.pod = pod_,
          .container = container,
          .pod_group = group_,
          .attempt = attempt,
          .oom_score_adj = adj,
          .limits = LimitsOf(plan_, container.name),
          .write_down = [this] { WriteRecord(); }};
}

void PodActor::KeepRun(const std::string& name, std::unique_ptr<ContainerRun> run) {
  std::unique_ptr<ContainerRun>& place = runs_[name];
  if (place && !place->idle()) lingering_.push_back(std::move(place));
  place = std::move(run);
}

void PodActor::StartContainer(const std::string& name, int attempt, int oom_score_adj) {
  const auto refuse = [&](ErrorCode code, std::string why) {
    surroundings_.Emit(ContainerStartFailed{.pod_uid = pod_.uid,
                                            .container = name,
                                            .attempt = attempt,
                                            .error = {code, std::move(why)}});
  };
  const Container* const spec = pod_host::FindContainer(pod_, name);
  if (removing_ || !created_) return refuse(ErrorCode::kNotFound, "there is no such pod");
  if (spec == nullptr) return refuse(ErrorCode::kNotFound, "the pod has no such container");
  if (FindRun(name) != nullptr) {
    return refuse(ErrorCode::kInvalidArgument, "the container runs already");
  }
  NoteIds();
  auto run = std::make_unique<ContainerRun>(surroundings_, OrderFor(*spec, attempt, oom_score_adj));
  ContainerRun& started = *run;
  KeepRun(name, std::move(run));
  if (state_ == SandboxState::kReady) return started.Start(sandbox_);
  waiting_.push_back(name);
  if (state_ != SandboxState::kMaking) MakeSandbox(next_attempt());
}

void PodActor::StopContainer(const std::string& name, Duration grace) {
  if (ContainerRun* run = FindRun(name)) run->Stop(grace);
}

void PodActor::KillContainer(const std::string& name) {
  if (ContainerRun* run = FindRun(name)) run->Kill();
}

// The IDs of runs that have one by now.
void PodActor::NoteIds() {
  for (const auto& [name, run] : runs_) {
    if (!run->id().empty()) ids_[{name, run->attempt()}] = run->id();
  }
}

void PodActor::RemoveContainer(const std::string& name, int attempt) {
  const ContainerRun* const run = FindRun(name);
  if (run != nullptr && run->attempt() == attempt) return;  // not dead
  NoteIds();
  if (const auto id = ids_.find({name, attempt}); id != ids_.end()) {
    Forget(id->second);
    const auto newest = runs_.find(name);
    if (newest != runs_.end() && newest->second->id() == id->second) runs_.erase(newest);
    ids_.erase(id);
  }
  if (!pod_host::IsPathSegment(name)) return;
  const std::string logs = surroundings_.paths.ContainerLogs(pod_, name);
  const std::string log_name = fmt::format("{}.log", attempt);
  for (const std::string& file : pod_host::NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (file == log_name || file.starts_with(log_name + ".")) {
      (void)::unlink(fmt::format("{}/{}", logs, file).c_str());
    }
  }
}

// Once forgotten, a container that the runtime did not remove is one that belongs to no run.
void PodActor::Forget(const std::string& container_id) {
  RemoveContainerWithTask(surroundings_.calls, container_id, surroundings_.options.request_timeout,
                          lifetime_.Guard([this](const Result<void>& removed) {
                            surroundings_.LogFailure("remove a container of pod " + FullName(pod_),
                                                     removed);
                          }));
}

// A call that makes a sandbox may take minutes, and nobody waits for what it makes any more: the
// next listing finds and removes that.
void PodActor::AbandonSandbox() {
  if (state_ != SandboxState::kMaking) return;
  abandoned_ = true;
  errand_.reset();
  creation_.reset();
  OnSandbox(Fail(ErrorCode::kUnavailable, "the pod was ended while its sandbox was being made"));
}

void PodActor::Remove() {
  tell_removed_ = true;
  AbandonSandbox();
  create_error_.reset();
  if (std::exchange(removing_, true)) return;
  // Nobody is to find it again.
  (void)::unlink(RecordFile(surroundings_, pod_.uid).c_str());
  for (auto& [name, run] : runs_) run->Kill();
  surroundings_.readiness.Wake();
}

void PodActor::Advance() {
  std::erase_if(lingering_, [](const auto& run) { return run->idle(); });
  if (!removing_ || gone_ || state_ == SandboxState::kMaking) return;
  const bool ended =
      std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.second->ended(); });
  if (!ended) return;
  if (!removal_) {
    PodRemains remains{.uid = pod_.uid,
                       .groups = {group_},
                       .log_dirs = {surroundings_.paths.PodLogs(pod_)},
                       .layers = {}};
    for (const auto& [name, run] : runs_) {
      if (!run->layer().empty()) remains.layers.push_back(run->layer());
    }
    removal_.emplace(surroundings_, std::move(remains));
    removal_->Start();
  }
  // Whoever waits for a pod that could not be made hears so even if the runtime does not answer.
  if (create_error_ && (removal_->done() || !removal_->problem().empty())) {
    surroundings_.Emit(PodFailed{pod_.uid, *std::exchange(create_error_, std::nullopt)});
  }
  if (!removal_->done()) return;
  gone_ = true;
  if (tell_removed_) surroundings_.Emit(PodRemoved{pod_.uid});
}

bool PodActor::Claims(const std::string& sandbox_id) const {
  return removing_ || state_ == SandboxState::kMaking || sandbox_.id == sandbox_id;
}

PodDisk PodActor::Disk() const {
  PodDisk disk = pod_host::DiskOf(surroundings_.paths, pod_);
  for (PodDisk::ContainerDisk& container : disk.containers) {
    const auto run = runs_.find(container.name);
    if (run != runs_.end()) container.layer = run->second->layer();
  }
  return disk;
}

std::string_view PodActor::GroupOf(const std::string& container) const {
  const ContainerRun* const run = FindRun(container);
  return run == nullptr ? std::string_view() : run->group();
}

void PodActor::AddLogs(std::vector<RunningLog>& logs) const {
  if (removing_) return;
  for (const auto& [name, run] : runs_) {
    if (!run->running()) continue;
    logs.push_back(
        {.container_id = run->id(), .path = surroundings_.paths.Log(pod_, name, run->attempt())});
  }
}

}  // namespace jettison::cri
