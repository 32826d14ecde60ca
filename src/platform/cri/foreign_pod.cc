#include "platform/cri/foreign_pod.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "pod_host/pod_containers.h"

namespace jettison::cri {
namespace {

// Its memory is back when its containers have ended; a sandbox that takes longer to stop is its
// owner's affair.
constexpr Duration kStopPatience = std::chrono::seconds(2);

// The folder of a container's logs where they are laid out as Kubernetes has it, in one of its own;
// any other holds more than its logs.
std::string LogFolderOf(const api::ContainerStatus& status, const std::string& name) {
  const std::string& path = status.log_path();
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  return path.starts_with('/') && folder.ends_with("/" + name + "/")
             ? folder.substr(0, folder.size() - 1)
             : std::string();
}

}  // namespace

ForeignPod::ForeignPod(Surroundings& surroundings, Pod pod, std::string sandbox_id,
                       std::set<std::string> considered)
    : surroundings_(surroundings),
      pod_(std::move(pod)),
      sandbox_id_(std::move(sandbox_id)),
      considered_(std::move(considered)) {}

void ForeignPod::Begin(const std::vector<ForeignContainer>& containers, bool unread) {
  groups_ = PodGroupsOf(containers, pod_.uid);
  RuntimePod found{.pod = pod_, .containers = {}, .foreign = true, .unread = unread};
  const Instant now = surroundings_.clock.Now();
  for (const ForeignContainer& container : containers) {
    found.containers.push_back(
        {.pod_uid = pod_.uid,
         .name = container.name,
         .attempt = static_cast<int>(container.status.metadata().attempt()),
         .created = InstantOfNs(container.status.created_at(), now, surroundings_.clock),
         .exit = {}});
  }
  surroundings_.Emit(PodFound{pod_.uid, std::move(found)});
  for (const ForeignContainer& container : containers) {
    task_ = {.of = container.task_namespace, .id = container.status.id()};
    const Container* const spec = pod_host::FindContainer(pod_, container.name);
    if (spec == nullptr) continue;
    const api::ContainerStatus& status = container.status;
    auto run = std::make_unique<ContainerRun>(
        surroundings_, StartOrder{.pod = pod_,
                                  .container = *spec,
                                  .pod_group = no_group_,
                                  .attempt = static_cast<int>(status.metadata().attempt())});
    run->Adopt({.id = status.id(),
                .pid = container.pid,
                .stop_signal = container.stop_signal,
                .started = InstantOfNs(status.started_at(), now, surroundings_.clock),
                .group = container.group,
                .task_namespace = container.task_namespace});
    runs_[container.name] = std::move(run);
    log_folders_[container.name] = LogFolderOf(status, container.name);
  }
}

ContainerRun* ForeignPod::FindRun(const std::string& name) const {
  const auto run = runs_.find(name);
  return run == runs_.end() || run->second->ended() ? nullptr : run->second.get();
}

void ForeignPod::StopContainer(const std::string& name, Duration grace) {
  ending_ = true;
  if (ContainerRun* run = FindRun(name)) run->Stop(grace);
}

void ForeignPod::KillContainer(const std::string& name) {
  ending_ = true;
  if (ContainerRun* run = FindRun(name)) run->Kill();
}

void ForeignPod::Remove() {
  ending_ = true;
  if (std::exchange(removing_, true)) return;
  for (auto& [name, run] : runs_) run->Kill();
  surroundings_.readiness.Wake();
}

void ForeignPod::Advance() {
  if (gone_ || stopping_) return;
  const bool ended =
      std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.second->ended(); });
  if (!ended) return;
  if (removing_) return StopSandbox();
  if (!ending_) TellRemoved();
}

void ForeignPod::StopSandbox() {
  if (is_task()) return TellRemoved();
  stopping_ = true;
  on_patience_ = surroundings_.readiness.After(kStopPatience, [this] { TellRemoved(); });
  api::StopPodSandboxRequest request;
  request.set_pod_sandbox_id(sandbox_id_);
  surroundings_.calls.StopPodSandbox(
      request, surroundings_.options.request_timeout,
      lifetime_.Guard([this](const Result<api::StopPodSandboxResponse>& answer) {
        surroundings_.LogFailure("stop the sandbox of pod " + FullName(pod_), answer);
        TellRemoved();
      }));
}

void ForeignPod::TellRemoved() {
  on_patience_.Stop();
  if (std::exchange(gone_, true)) return;
  surroundings_.Emit(PodRemoved{pod_.uid});
}

void ForeignPod::OnListed(const std::set<std::string>& running) {
  if (ending_ || gone_) return;
  const bool same =
      std::includes(considered_.begin(), considered_.end(), running.begin(), running.end());
  if (running.empty() || !same) TellRemoved();
}

PodDisk ForeignPod::Disk() const {
  PodDisk disk;
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
  const ContainerRun* const run = FindRun(container);
  return run == nullptr ? std::string_view() : run->group();
}

}  // namespace jettison::cri
