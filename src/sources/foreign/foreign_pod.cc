#include "sources/foreign/foreign_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernel/files/pod_containers.h"

namespace jettison {
namespace {

// How long a base may take to come down. The pod's memory is free when its containers have ended;
// the base itself is the responsibility of the software that runs the pod.
constexpr Duration kStopPatience = std::chrono::seconds(2);

// The folder of a container's logs if it has its own, as in Kubernetes' layout; any other folder
// contains more than its logs.
std::string LogFolderOf(const std::string& path, const std::string& name) {
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  return path.starts_with('/') && folder.ends_with("/" + name + "/")
             ? folder.substr(0, folder.size() - 1)
             : std::string();
}

}  // namespace

ForeignPod::ForeignPod(RunEdges& edges, Pod pod, ForeignFinding finding)
    : edges_(edges),
      pod_(std::move(pod)),
      finding_(std::move(finding)),
      groups_(PodGroupsOf(finding_.containers, pod_.uid)) {}

RuntimePod ForeignPod::Begin() {
  RuntimePod found{.pod = pod_,
                   .containers = {},
                   .foreign = true,
                   .origin = finding_.origin,
                   .spared = finding_.spared,
                   .kill_at_once = finding_.kill_at_once};
  const Clock& clock = edges_.clock;
  const Instant now = clock.Now();
  for (const ForeignContainer& container : finding_.containers) {
    found.containers.push_back({.pod_uid = pod_.uid,
                                .name = container.name,
                                .attempt = container.attempt,
                                .created = InstantOfNs(container.created_at, now, clock),
                                .exit = {}});
    const Container* const spec = kernel::FindContainer(pod_, container.name);
    if (spec == nullptr) continue;
    auto run = std::make_unique<RunningContainer>(
        edges_,
        RunIdentity{
            .pod = pod_, .container = *spec, .pod_group = no_group_, .attempt = container.attempt});
    run->Expect();
    run->Begin({.id = container.id,
                .pid = container.pid,
                .stop_signal = container.stop_signal,
                .started = InstantOfNs(container.started_at, now, clock),
                .group = container.group},
               container.anchor);
    (void)run->LookForEnd();
    runs_[container.name] = std::move(run);
    log_folders_[container.name] = LogFolderOf(container.log_path, container.name);
  }
  return found;
}

RunningContainer* ForeignPod::FindRun(const std::string& name) const {
  const auto run = runs_.find(name);
  return run == runs_.end() || run->second->ended() ? nullptr : run->second.get();
}

void ForeignPod::StopContainer(const std::string& name, Duration grace) {
  if (finding_.kill_at_once) return KillContainer(name);
  ending_ = true;
  if (RunningContainer* run = FindRun(name)) run->Stop(grace);
}

void ForeignPod::KillContainer(const std::string& name) {
  ending_ = true;
  if (RunningContainer* run = FindRun(name)) run->Kill();
  hold_due_ = true;
  edges_.readiness.Wake();
}

// Not before the first kill, because a pod that is asked to end may have to start a process for
// that; and only after the kills that are commanded together with it, because the kernel may take
// long for a hold. This is early enough: to start a container again takes a tenth of a second.
void ForeignPod::HoldBase() {
  if (finding_.base && !std::exchange(held_, true)) finding_.base->Hold();
}

void ForeignPod::Remove() {
  ending_ = true;
  if (std::exchange(removing_, true)) return;
  for (auto& [name, run] : runs_) run->Kill();
  edges_.readiness.Wake();
}

void ForeignPod::Advance() {
  if (gone_ || taking_down_) return;
  if (hold_due_) HoldBase();
  const bool ended =
      std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.second->ended(); });
  if (!ended) return;
  if (ending_) HoldBase();
  if (removing_) return TakeDownBase();
  if (!ending_) TellRemoved();
}

void ForeignPod::TakeDownBase() {
  taking_down_ = true;
  if (!finding_.base) return TellRemoved();
  on_patience_ = edges_.readiness.After(kStopPatience, [this] { TellRemoved(); });
  finding_.base->TakeDown(edges_.request_timeout, lifetime_.Guard([this](const Result<void>& down) {
    edges_.LogFailure(fmt::format("{} of pod {}", finding_.base->HowItEnds(), FullName(pod_)),
                      down);
    TellRemoved();
  }));
}

void ForeignPod::TellRemoved() {
  on_patience_.Stop();
  if (std::exchange(gone_, true)) return;
  edges_.Emit(PodRemoved{pod_.uid});
}

void ForeignPod::OnListed(const std::set<std::string>& running) {
  if (ending_ || gone_) return;
  const bool same = std::includes(finding_.considered.begin(), finding_.considered.end(),
                                  running.begin(), running.end());
  if (running.empty() || !same) TellRemoved();
}

PodDisk ForeignPod::Disk() const {
  PodDisk disk{.empty_dirs = finding_.local_volumes, .containers = {}};
  for (const Container& container : pod_.containers) {
    const auto run = runs_.find(container.name);
    const auto logs = log_folders_.find(container.name);
    disk.containers.push_back({.name = container.name,
                               .logs = logs == log_folders_.end() ? std::string() : logs->second,
                               .layer = run == runs_.end() ? std::string() : run->second->layer()});
  }
  return disk;
}

std::string_view ForeignPod::GroupOf(const std::string& container) const {
  const RunningContainer* const run = FindRun(container);
  return run == nullptr ? std::string_view() : run->group();
}

}  // namespace jettison
