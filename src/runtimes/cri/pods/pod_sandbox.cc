#include "runtimes/cri/pods/pod_sandbox.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/pod_containers.h"
#include "kernel/mounts/mount_plan.h"
#include "kernel/mounts/volumes.h"
#include "kernel/project_quota/pod_projects.h"

namespace jettison::cri {
namespace {

// Every container must be possible before any of them runs.
Result<void> CheckContainers(const kernel::Paths& paths, const Pod& pod) {
  for (const Container* container : kernel::ContainersOf(pod)) {
    auto plan = kernel::PlanMounts(paths, pod, *container);
    if (!plan) return Fail(plan.error());
    if (!container->image.empty()) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("container {} has no image: set spec.containers[].image", container->name));
  }
  return {};
}

// Existing files are kept.
Result<void> MakeFilesOf(const kernel::Paths& paths, const Pod& pod) {
  if (auto made = kernel::MakeFolders(paths.Pod(pod.uid)); !made) return made;
  if (auto made = kernel::PrepareVolumes(paths, pod); !made) return made;
  AssignProjects(kernel::DiskOf(paths, pod));
  return kernel::MakeFolders(paths.PodLogs(pod));
}

}  // namespace

PodSandbox::PodSandbox(RuntimeContext& context, const PodPlan& plan, const std::string& group,
                       Made made)
    : context_(context), plan_(plan), group_(group), made_(std::move(made)) {}

void PodSandbox::MakeFiles(kernel::DiskWork::Done done) {
  context_.disk.Do([paths = context_.paths, pod = pod_] { return MakeFilesOf(paths, pod); },
                   std::move(done));
}

void PodSandbox::Make(std::uint32_t first_attempt) {
  state_ = State::kMaking;
  sandbox_.attempt = first_attempt;
  if (auto ok = CheckContainers(context_.paths, pod_); !ok) return OnMade(Fail(ok.error()));
  making_ = std::make_unique<Lifetime>();
  MakeFiles(making_->Guard([this](const Result<void>& made) { OnFiles(made); }));
}

void PodSandbox::OnFiles(const Result<void>& made) {
  if (!made) return OnMade(Fail(made.error()));
  if (context_.draining) return;
  if (auto group = context_.cgroups.Create(group_, plan_.limits); !group) {
    return OnMade(Fail(group.error()));
  }
  errand_ = std::make_unique<kernel::PathErrand>(context_.readiness, context_.disk,
                                                 context_.options.path_patience);
  const auto prepared = errand_->Begin(kernel::VolumeSteps(context_.paths, pod_),
                                       [this](const Result<void>& later) { OnVolumes(later); });
  if (prepared) OnVolumes(*prepared);
}

void PodSandbox::OnVolumes(const Result<void>& prepared) {
  errand_.reset();
  if (!prepared) return OnMade(Fail(prepared.error()));
  if (context_.draining) return;
  creation_ =
      std::make_unique<SandboxCreation>(context_, plan_, group_, sandbox_.attempt,
                                        [this](const Result<Sandbox>& made) { OnMade(made); });
  creation_->Start();
}

void PodSandbox::OnMade(const Result<Sandbox>& made) {
  if (made) {
    sandbox_ = *made;
    state_ = State::kReady;
    return made_({});
  }
  sandbox_.attempt += 2;  // two names were tried
  state_ = State::kAbsent;
  made_(Fail(made.error()));
}

void PodSandbox::GiveUp() {
  if (!is_making()) return;
  making_.reset();
  errand_.reset();
  creation_.reset();
  OnMade(Fail(ErrorCode::kUnavailable, "the pod was ended while its sandbox was being made"));
}

void PodSandbox::Adopt(Sandbox sandbox, bool ready) {
  sandbox_ = std::move(sandbox);
  state_ = ready ? State::kReady : State::kAbsent;
  // Groups and memory volumes do not survive a restart of the machine, but folders do.
  const std::string what = "adopt pod " + FullName(pod_);
  context_.LogFailure(what, context_.cgroups.Create(group_, plan_.limits));
  MakeFiles(
      [&context = context_, what](const Result<void>& made) { context.LogFailure(what, made); });
}

}  // namespace jettison::cri
