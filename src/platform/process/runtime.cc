#include "platform/process/runtime.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "platform/process/host_rights.h"
#include "pod_host/cgroup_layout.h"
#include "pod_host/files.h"
#include "pod_host/mount_plan.h"
#include "pod_host/pod_containers.h"
#include "pod_host/volumes.h"
#include "ports/system_error.h"

namespace jettison::process {

using namespace pod_host;
namespace {

// Every mount of the pod must be possible before any of its containers runs.
Result<void> CheckMounts(const Paths& paths, const Pod& pod) {
  for (const Container* container : ContainersOf(pod)) {
    if (auto plan = PlanMounts(paths, pod, *container); !plan) return Fail(plan.error());
  }
  return {};
}

bool MountsAt(const Paths& paths, const Pod& pod, std::string_view place) {
  for (const Container* container : ContainersOf(pod)) {
    const auto plan = PlanMounts(paths, pod, *container).value_or(std::vector<PlannedMount>{});
    const bool within = std::any_of(plan.begin(), plan.end(), [&](const PlannedMount& mount) {
      return IsWithin(mount.target, place);
    });
    if (within) return true;
  }
  return false;
}

}  // namespace

Runtime::Runtime(std::unique_ptr<Readiness> readiness, FileDescriptor lock,
                 const ProcessRuntimeOptions& options, std::string boot_id, Cgroups& cgroups,
                 const Clock& clock)
    : readiness_(std::move(readiness)),
      lock_(std::move(lock)),
      surroundings_{.options = options,
                    .paths = Paths(options.root, options.logs),
                    .boot_id = std::move(boot_id),
                    .cgroups = cgroups,
                    .clock = clock,
                    .readiness = *readiness_,
                    .events = {}},
      qos_groups_(cgroups, options.cgroup_driver) {}

Result<void> Runtime::Ready() {
  if (::access(surroundings_.options.shim.c_str(), X_OK) != 0) {
    return Fail(SystemError(
        errno, fmt::format("the shim {} is not there to be started", surroundings_.options.shim)));
  }
  if (::access(surroundings_.paths.Pods().c_str(), W_OK) != 0) {
    return FailErrno(surroundings_.paths.Pods());
  }
  return {};
}

Runtime::PodEntry* Runtime::Find(const std::string& pod_uid) {
  const auto it = pods_.find(pod_uid);
  const bool is_whole = it != pods_.end() && !it->second.removing && !it->second.making;
  return is_whole ? &it->second : nullptr;
}

ContainerRun* Runtime::FindRun(const std::string& pod_uid, const std::string& container) {
  const auto pod = pods_.find(pod_uid);
  if (pod == pods_.end()) return nullptr;
  const auto run = pod->second.runs.find(container);
  return run == pod->second.runs.end() || run->second->ended() ? nullptr : run->second.get();
}

Runtime::PodEntry& Runtime::Enter(PodPlan plan) {
  const CgroupDriver driver = surroundings_.options.cgroup_driver;
  const Pod& pod = plan.pod;
  PodEntry& entry = pods_[pod.uid];
  entry.group = PodGroup(plan.qos, pod.uid, driver);
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      entry.container_groups[container.name] = ContainerGroupName(container.name, driver);
    }
  }
  entry.plan = std::move(plan);
  return entry;
}

void Runtime::CreatePod(const PodPlan& plan) {
  const Pod& pod = plan.pod;
  if (const auto existing = pods_.find(pod.uid); existing != pods_.end()) {
    if (existing->second.unread) {
      CreateUnread(plan);
    } else if (existing->second.removing) {
      surroundings_.Emit(PodFailed{
          pod.uid, {ErrorCode::kUnavailable, "a pod of the same UID is still being removed"}});
    } else if (!existing->second.making) {
      surroundings_.Emit(PodReady{pod.uid});
    }
    return;
  }
  if (auto names = CheckNames(pod); !names) {
    surroundings_.Emit(PodFailed{pod.uid, names.error()});
    return;
  }
  PodEntry& entry = Enter(plan);
  if (IsInhabited(entry.group)) {
    const std::string group = entry.group;
    pods_.erase(pod.uid);
    surroundings_.Emit(PodFailed{
        pod.uid,
        {ErrorCode::kUnavailable,
         fmt::format("processes run in {} that nothing below {} tells of: they are another "
                     "agent's, or this root is not the one that they were started from; end them "
                     "or set `root`",
                     group, surroundings_.paths.root())}});
    return;
  }
  if (const auto made = PreparePod(entry); !made) return FinishPod(pod.uid, made);
  entry.making = true;
  PrepareForeignVolumes(
      entry, [this, uid = pod.uid](const Result<void>& prepared) { FinishPod(uid, prepared); });
}

void Runtime::PrepareForeignVolumes(PodEntry& entry, const PathErrand::Done& done) {
  entry.errand = std::make_unique<PathErrand>(*readiness_, surroundings_.options.path_patience);
  const auto outcome = entry.errand->Begin(VolumeSteps(surroundings_.paths, entry.plan.pod), done);
  if (!outcome) return;
  entry.errand.reset();
  done(*outcome);
}

// The folder comes first and the pod's own file last: whatever is interrupted in between is a
// folder without that file, which the next agent takes down.
void Runtime::FinishPod(const std::string& uid, const Result<void>& prepared) {
  PodEntry& entry = pods_.at(uid);
  entry.errand.reset();
  entry.making = false;
  const auto made = prepared ? WriteFile(surroundings_.paths.PodFile(uid),
                                         surroundings_.options.written_pods->Write(entry.plan.pod))
                             : prepared;
  if (!made) {
    entry.create_error = made.error();
    BeginRemoval(entry);
    return;
  }
  UpdateQosGroups();
  surroundings_.Emit(PodReady{uid});
}

Result<void> Runtime::PreparePod(const PodEntry& entry) {
  const Paths& paths = surroundings_.paths;
  const Pod& pod = entry.plan.pod;
  if (auto ok = CheckRights(pod); !ok) return ok;
  if (auto ok = CheckMounts(paths, pod); !ok) return ok;
  if (auto made = MakeFolders(paths.Pod(pod.uid)); !made) return made;
  if (auto made = surroundings_.cgroups.Create(entry.group, entry.plan.limits); !made) return made;
  if (auto made = PrepareVolumes(paths, pod); !made) return made;
  if (auto made = MakeFolders(paths.Containers(pod.uid)); !made) return made;
  return MakeFolders(paths.PodLogs(pod));
}

void Runtime::StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                             int oom_score_adj) {
  const auto refuse = [&](ErrorCode code, std::string why) {
    surroundings_.Emit(ContainerStartFailed{.pod_uid = pod_uid,
                                            .container = container,
                                            .attempt = attempt,
                                            .error = {code, std::move(why)}});
  };
  PodEntry* const entry = Find(pod_uid);
  if (entry == nullptr) return refuse(ErrorCode::kNotFound, "there is no such pod");
  if (entry->unread) return refuse(ErrorCode::kUnavailable, entry->unread->error.message);
  const Container* const spec = FindContainer(entry->plan.pod, container);
  if (spec == nullptr) return refuse(ErrorCode::kNotFound, "the pod has no such container");
  if (FindRun(pod_uid, container) != nullptr) {
    return refuse(ErrorCode::kInvalidArgument, "the container runs already");
  }
  auto run =
      std::make_unique<ContainerRun>(surroundings_, RunName{pod_uid, container, attempt},
                                     entry->plan, *spec, GroupOfContainer(entry->group, container));
  run->Start(oom_score_adj);
  entry->runs[container] = std::move(run);
  entry->newest[container] = attempt;
}

// The layers of earlier runs are leftovers that no limit counts.
PodDisk Runtime::DiskOf(const Pod& pod) const {
  PodDisk disk = pod_host::DiskOf(surroundings_.paths, pod);
  const auto entry = pods_.find(pod.uid);
  if (entry == pods_.end()) return disk;
  for (PodDisk::ContainerDisk& container : disk.containers) {
    const auto newest = entry->second.newest.find(container.name);
    if (newest == entry->second.newest.end()) continue;
    container.layer = surroundings_.paths.Run(pod.uid, container.name, newest->second);
  }
  return disk;
}

std::string_view Runtime::GroupOf(const std::string& pod_uid, const std::string& container) const {
  const auto pod = pods_.find(pod_uid);
  if (pod == pods_.end()) return {};
  const auto group = pod->second.container_groups.find(container);
  return group == pod->second.container_groups.end() ? std::string_view() : group->second;
}

std::string Runtime::GroupOfContainer(const std::string& pod_group,
                                      const std::string& container) const {
  return ContainerGroup(pod_group,
                        ContainerGroupName(container, surroundings_.options.cgroup_driver));
}

void Runtime::StopContainer(const std::string& pod_uid, const std::string& container,
                            Duration grace) {
  if (ContainerRun* run = FindRun(pod_uid, container)) run->Stop(grace);
  SignalUnread(pod_uid, SIGTERM);
}

void Runtime::KillContainer(const std::string& pod_uid, const std::string& container) {
  if (ContainerRun* run = FindRun(pod_uid, container)) run->Kill();
  SignalUnread(pod_uid, SIGKILL);
}

void Runtime::RemoveContainer(const std::string& pod_uid, const std::string& container,
                              int attempt) {
  PodEntry* const entry = Find(pod_uid);
  if (entry == nullptr || entry->unread || !IsPathSegment(container)) return;
  const ContainerRun* const run = FindRun(pod_uid, container);
  if (run != nullptr && run->attempt() == attempt) return;  // not dead

  const Paths& paths = surroundings_.paths;
  // Renamed it is no run any more, whatever becomes of the removal.
  const std::string run_dir = paths.Run(pod_uid, container, attempt);
  const std::string doomed = run_dir + ".gone";
  (void)::rename(run_dir.c_str(), doomed.c_str());
  std::vector<std::string> trees = {doomed};
  const std::string logs = paths.ContainerLogs(entry->plan.pod, container);
  const std::string log_name = fmt::format("{}.log", attempt);
  for (const std::string& name : NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (name == log_name || name.starts_with(log_name + ".")) {
      trees.push_back(fmt::format("{}/{}", logs, name));
    }
  }
  dead_runs_.Add(std::move(trees));
}

void Runtime::RemovePod(const std::string& pod_uid) {
  const auto it = pods_.find(pod_uid);
  if (it == pods_.end() || it->second.unread) {
    surroundings_.Emit(PodRemoved{pod_uid});
    return;
  }
  // Whoever has a pod removed waits for that, not for why it could not be created.
  it->second.create_error.reset();
  if (!it->second.removing) BeginRemoval(it->second);
}

void Runtime::BeginRemoval(PodEntry& entry) {
  entry.removing = true;
  entry.making = false;
  entry.errand.reset();
  for (auto& [name, run] : entry.runs) run->Kill();
  readiness_->Wake();
}

void Runtime::ContinueRemovals() {
  for (auto it = pods_.begin(); it != pods_.end();) {
    auto& [uid, entry] = *it;
    const bool idle = std::all_of(entry.runs.begin(), entry.runs.end(),
                                  [](const auto& run) { return run.second->ended(); });
    if (!entry.removing || !idle) {
      ++it;
      continue;
    }
    if (!entry.removal) {
      entry.removal.emplace(surroundings_,
                            PodRemains{.uid = uid,
                                       .groups = {entry.group},
                                       .log_dirs = {surroundings_.paths.PodLogs(entry.plan.pod)},
                                       .mount_point_user = [this](std::string_view path) {
                                         return MountPointUserOf(path);
                                       }});
    }
    if (!entry.removal->Continue()) {
      ++it;
      continue;
    }
    if (entry.create_error) {
      surroundings_.Emit(PodFailed{uid, *entry.create_error});
    } else {
      surroundings_.Emit(PodRemoved{uid});
    }
    it = pods_.erase(it);
    UpdateQosGroups();
  }
}

std::optional<std::string> Runtime::MountPointUserOf(std::string_view path) const {
  for (const auto& [uid, entry] : pods_) {
    if (entry.unread) return uid;  // nobody knows what it mounts
    if (!entry.removing && MountsAt(surroundings_.paths, entry.plan.pod, path)) return uid;
  }
  return std::nullopt;
}

void Runtime::UpdateQosGroups() {
  std::vector<const PodPlan*> pods;
  for (const auto& [uid, entry] : pods_) {
    if (!entry.removing) pods.push_back(&entry.plan);
  }
  surroundings_.LogFailure("set the CPU shares of the pods' groups", qos_groups_.SetPods(pods));
}

std::vector<RuntimeEvent> Runtime::TakeEvents() {
  surroundings_.taking = true;
  readiness_->Dispatch();
  ContinueRemovals();
  dead_runs_.Continue();
  surroundings_.taking = false;
  return std::exchange(surroundings_.events, {});
}

}  // namespace jettison::process
