#include "runtimes/process/runtime.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "kernel/readiness/pidfd.h"
#include "pods/pod_groups.h"
#include "pods/tree_removal.h"
#include "ports/system_error.h"
#include "runtimes/process/process_runtime.h"
#include "runtimes/process/runs/run_record.h"

namespace jettison::process {

using namespace kernel;

Runtime::Runtime(std::unique_ptr<Readiness> readiness, FileDescriptor lock,
                 const ProcessRuntimeOptions& options, std::string boot_id, Cgroups& cgroups,
                 GroupEnd& group_end, const Clock& clock)
    : readiness_(std::move(readiness)),
      lock_(std::move(lock)),
      context_{{{.processes = processes_,
                 .cgroups = cgroups,
                 .group_end = group_end,
                 .clock = clock,
                 .readiness = *readiness_,
                 .log = options.log},
                Paths(options.root, options.logs),
                options.cgroup_driver,
                options.path_patience,
                DiskWork(*readiness_, options.disk_thread)},
               options,
               std::move(boot_id)} {}

// Containers that run need no program of the shim's any more.
void Runtime::SayWhatIsMissing() const {
  if (::access(context_.options.shim.c_str(), X_OK) == 0) return;
  context_.Log(SystemError(errno, fmt::format("the shim {} cannot be run; no container starts "
                                              "before it can, and those that run go on",
                                              context_.options.shim))
                   .message);
}

Result<std::vector<RuntimePod>> Runtime::List() {
  // Perhaps the pods could not be looked at before.
  if (auto own = CheckPodsAreOwn(context_.paths.Pods(), kProcessPodMarks); !own) {
    return Fail(own.error());
  }
  const auto uids = leftovers_.Begin();
  if (!uids) return Fail(uids.error());
  SayWhatIsMissing();
  rotation_.Start();
  return adoption_.TakeOverFolders(*uids);
}

void Runtime::CreatePod(const PodPlan& plan) {
  const std::string& uid = plan.pod->uid;
  if (const auto existing = pods_.all().find(uid); existing != pods_.all().end()) {
    if (existing->second.removing) {
      return context_.Emit(PodFailed{uid, StillBeingRemoved("")});
    }
    if (!existing->second.making) context_.Emit(PodReady{uid});
    return;
  }
  if (const auto failed = adoption_.InTheWayOf(*plan.pod)) {
    context_.Emit(*failed);
    return adoption_.ReadAgain(plan);
  }
  PodEntry& entry = pods_.Enter(plan);
  if (IsInhabited(context_.cgroups, entry.group)) {
    const std::string group = entry.group;
    pods_.all().erase(uid);
    return context_.Emit(PodFailed{
        .pod_uid = uid,
        .error = {ErrorCode::kUnavailable,
                  fmt::format(
                      "processes run in {} that nothing below {} tells of: they are another "
                      "agent's, or this root is not the one that they were started from; "
                      "end them or set `root`",
                      group, context_.paths.root())},
        .by_others = true});
  }
  if (const auto possible = pods_.Check(entry); !possible) {
    return FailCreation(entry, possible.error());
  }
  entry.making = true;
  entry.foundation->Make(
      [this, &entry](const Result<void>& made) {
        if (!made) return FailCreation(entry, made.error());
        entry.making = false;
        context_.Emit(PodReady{entry.plan.pod->uid});
      },
      context_.options.written_pods->Write(*plan.pod));
}

void Runtime::FailCreation(PodEntry& entry, const Error& error) {
  BeginRemoval(entry);
  entry.removing->create_error = error;
}

void Runtime::StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                             int oom_score_adj) {
  const auto refuse = [&](ErrorCode code, std::string why) {
    context_.RefuseStart(pod_uid, container, attempt, {code, std::move(why)});
  };
  PodEntry* const entry = pods_.Find(pod_uid);
  if (entry == nullptr) return refuse(ErrorCode::kNotFound, "there is no such pod");
  const Container* const spec = FindContainer(*entry->plan.pod, container);
  if (spec == nullptr) return refuse(ErrorCode::kNotFound, "the pod has no such container");
  if (pods_.FindRun(pod_uid, container) != nullptr) {
    return refuse(ErrorCode::kInvalidArgument, "the container runs already");
  }
  auto run =
      std::make_unique<ContainerRun>(context_, RunName{pod_uid, container, attempt}, entry->plan,
                                     *spec, pods_.GroupOfContainer(*entry, container));
  run->Start(oom_score_adj);
  entry->runs[container] = std::move(run);
  entry->newest[container] = attempt;
}

// The layers of earlier runs are leftovers, which do not count against limits.
PodDisk Runtime::DiskOf(const Pod& pod) const {
  PodDisk disk = kernel::DiskOf(context_.paths, pod);
  const auto entry = pods_.all().find(pod.uid);
  if (entry == pods_.all().end()) return disk;
  for (PodDisk::ContainerDisk& container : disk.containers) {
    const auto newest = entry->second.newest.find(container.name);
    if (newest == entry->second.newest.end()) continue;
    container.layer = context_.paths.Run(pod.uid, container.name, newest->second);
  }
  return disk;
}

std::string_view Runtime::GroupOf(const std::string& pod_uid, const std::string& container) const {
  const auto pod = pods_.all().find(pod_uid);
  if (pod == pods_.all().end()) return {};
  const auto group = pod->second.container_groups.find(container);
  return group == pod->second.container_groups.end() ? std::string_view() : group->second;
}

void Runtime::StopContainer(const std::string& pod_uid, const std::string& container,
                            Duration grace) {
  if (ContainerRun* run = pods_.FindRun(pod_uid, container)) run->Stop(grace);
}

void Runtime::KillContainer(const std::string& pod_uid, const std::string& container) {
  if (ContainerRun* run = pods_.FindRun(pod_uid, container)) run->Kill();
}

void Runtime::RemoveContainer(const std::string& pod_uid, const std::string& container,
                              int attempt) {
  PodEntry* const entry = pods_.Find(pod_uid);
  if (entry == nullptr || !IsPathSegment(container)) return;
  const ContainerRun* const run = pods_.FindRun(pod_uid, container);
  if (run != nullptr && run->attempt() == attempt) return;  // not dead

  const Paths& paths = context_.paths;
  // After it is renamed, the folder does not count as a run, even if the removal fails. What cannot
  // be renamed is removed at once, before anything of a later pod is made in its place.
  const std::string run_dir = paths.Run(pod_uid, container, attempt);
  const std::string doomed = DoomedName(
      paths.Pods(), fmt::format("{}-{}-{}", pod_uid, container, attempt), context_.clock.Now());
  context_.disk.Do(
      [run_dir, doomed, logs = paths.ContainerLogs(*entry->plan.pod, container),
       attempt]() -> Result<void> {
        RemoveLogsOfRun(logs, attempt);
        if (std::rename(run_dir.c_str(), doomed.c_str()) == 0 || errno == ENOENT) return {};
        return RemoveTrees({run_dir});
      },
      [this, doomed](const Result<void>& removed) {
        context_.LogFailure("remove a dead container", removed);
        leftovers_.Delete({doomed});
      });
}

void Runtime::RemovePod(const std::string& pod_uid) {
  const auto it = pods_.all().find(pod_uid);
  if (it == pods_.all().end()) {
    return context_.Emit(PodRemoved{pod_uid});
  }
  PodEntry& entry = it->second;
  if (!entry.removing) BeginRemoval(entry);
  // The caller waits for the removal, so the failed creation is not reported.
  entry.removing->create_error.reset();
}

void Runtime::BeginRemoval(PodEntry& entry) {
  entry.removing.emplace();
  entry.foundation.reset();
  for (auto& [name, run] : entry.runs) run->Kill();
  context_.disk.Do([paths = context_.paths, uid = entry.plan.pod->uid]() -> Result<void> {
    MarkAsRemoved(paths, uid);
    return {};
  });
  readiness_->Wake();
}

void Runtime::ContinueRemovals() {
  auto& pods = pods_.all();
  for (auto it = pods.begin(); it != pods.end();) {
    auto& [uid, entry] = *it;
    if (!entry.removing || entry.AnyRuns() || !IsRemoved(uid, entry)) {
      ++it;
      continue;
    }
    if (const auto& error = entry.removing->create_error) {
      context_.Emit(PodFailed{uid, *error});
    } else {
      context_.Emit(PodRemoved{uid});
    }
    it = pods.erase(it);
  }
}

bool Runtime::IsRemoved(const std::string& uid, PodEntry& entry) {
  auto& removal = entry.removing->removal;
  if (!removal) {
    removal = std::make_unique<PodRemoval>(
        context_, PodRemains{.uid = uid,
                             .groups = {entry.group},
                             .log_dirs = {context_.paths.PodLogs(*entry.plan.pod)}});
    removal->Start();
  }
  return removal->done();
}

std::vector<RuntimeEvent> Runtime::TakeEvents() {
  context_.taking = true;
  readiness_->Dispatch();
  ContinueRemovals();
  leftovers_.Advance();
  std::erase_if(context_.ending_shims, [](ShimProcess& shim) { return shim.Reap().has_value(); });
  context_.taking = false;
  return std::exchange(context_.events, {});
}

}  // namespace jettison::process

namespace jettison {
namespace {

// The shim lies beside the running program.
Result<std::string> DefaultShim() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Fail(SystemError(error.value(), "read /proc/self/exe"));
  return program.parent_path() / "jettison-shim";
}

}  // namespace

Result<std::unique_ptr<ContainerRuntime>> OpenProcessRuntime(ProcessRuntimeOptions options,
                                                             Cgroups& cgroups, GroupEnd& group_end,
                                                             const Clock& clock) {
  while (options.root.ends_with('/')) options.root.pop_back();
  if (options.shim.empty()) {
    auto shim = DefaultShim();
    if (!shim) return Fail(shim.error());
    options.shim = std::move(*shim);
  }
  auto lock = kernel::OpenRootFolders(kernel::Paths(options.root), kernel::kProcessPodMarks);
  if (!lock) return Fail(lock.error());
  auto boot_id = process::ReadBootId();
  if (!boot_id) return Fail(boot_id.error());
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  return std::make_unique<process::Runtime>(std::move(*readiness), std::move(*lock), options,
                                            std::move(*boot_id), cgroups, group_end, clock);
}

}  // namespace jettison
