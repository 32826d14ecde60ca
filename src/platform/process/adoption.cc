// What the runtime finds when it starts: the pods of an agent before it.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "platform/process/process_identity.h"
#include "platform/process/runtime.h"
#include "pod_host/cgroup_layout.h"
#include "pod_host/files.h"
#include "pod_host/pod_containers.h"

namespace jettison::process {

using namespace pod_host;
namespace {

constexpr int kShimEndTimeoutMs = 2000;
constexpr Duration kLeftoverTimeout = std::chrono::seconds(30);
constexpr QosClass kQosClasses[] = {QosClass::kGuaranteed, QosClass::kBurstable,
                                    QosClass::kBestEffort};

WallTime CreationOf(const FoundRun& run) {
  if (run.record) return run.record->created;
  return run.exit ? run.exit->started : WallTime{};
}

// Real time is turned into the agent's here and nowhere later. `earliest`: no run of a container
// began before the one before it, whatever the clock of their days says.
ContainerRecord RecordOf(const std::string& uid, const FoundRun& run, const Clock& clock,
                         Instant earliest) {
  return {.pod_uid = uid,
          .name = run.container,
          .attempt = run.attempt,
          .created = InstantOf(CreationOf(run), clock, earliest),
          .exit = {}};
}

ContainerExit ExitOf(const ExitRecord& exit, Instant created, const Clock& clock, bool oom_killed) {
  const Instant started = InstantOf(exit.started, clock, created);
  return {.exit_code = exit.code,
          .signal = exit.signal,
          .oom_killed = oom_killed,
          .started = started,
          .finished = InstantOf(exit.finished, clock, started)};
}

}  // namespace

Result<std::vector<RuntimePod>> Runtime::List() {
  const auto uids = NamesIn(surroundings_.paths.Pods());
  if (!uids) return Fail(uids.error());
  std::vector<std::string> leftovers;
  for (const std::string& uid : *uids) {
    auto pod = ReadPod(uid);
    if (!pod) {
      EnterUnread(uid, pod.error());
    } else if (*pod) {
      Enter(std::move(**pod));
    } else {
      leftovers.push_back(uid);
    }
  }
  // Only now: the pods that stay are known, and with them whose mount points must stay.
  for (const std::string& uid : leftovers) RemoveLeftover(uid);
  std::vector<RuntimePod> listed;
  for (auto& [uid, entry] : pods_) {
    auto pod = entry.unread ? Fail(entry.unread->error) : TakeOver(entry);
    if (pod) {
      listed.push_back(std::move(*pod));
      continue;
    }
    if (!entry.unread) SetUnread(entry, pod.error());
    if (auto unread = UnreadPod(entry)) listed.push_back(std::move(*unread));
  }
  ScheduleTending();
  if (!pods_.empty()) UpdateQosGroups();
  return listed;
}

// A pod whose runs can be told, with groups and volumes: those of memory do not outlive the
// machine's restart, the folders do.
Result<RuntimePod> Runtime::TakeOver(PodEntry& entry) {
  auto runs = FindRuns(entry);
  if (!runs) return Fail(runs.error());
  const auto log_failure = [this, about = "adopt pod " +
                                          FullName(entry.plan.pod)](const Result<void>& prepared) {
    surroundings_.LogFailure(about, prepared);
  };
  log_failure(PreparePod(entry));
  PrepareForeignVolumes(entry, log_failure);
  return RuntimePod{.pod = entry.plan.pod, .containers = AdoptRuns(entry, std::move(*runs))};
}

// None where the folder is a leftover. kInvalidArgument: the record is damaged.
Result<std::optional<PodPlan>> Runtime::ReadPod(const std::string& uid) const {
  const std::string path = surroundings_.paths.PodFile(uid);
  const auto text = ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return Fail(text.error());
  const auto damaged = [&path](const std::string& why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", path, why));
  };
  auto plan = surroundings_.options.written_pods->Read(*text);
  if (!plan) return damaged(plan.error().message);
  const Pod& pod = plan->pod;
  if (pod.uid != uid) return damaged("it describes the pod " + pod.uid);
  if (auto names = CheckNames(pod); !names) return damaged(names.error().message);
  return std::move(*plan);
}

// The runs of a pod; fails where it cannot be told what runs of it. Of a run whose record is
// damaged nothing runs any more where the container's group is empty.
Result<std::vector<FoundRun>> Runtime::FindRuns(const PodEntry& entry) {
  std::vector<std::string> strange;
  auto runs = ReadRuns(surroundings_.paths, entry.plan.pod.uid, surroundings_.boot_id, strange);
  if (!runs) return runs;
  for (FoundRun& run : *runs) {
    if (run.state != RunState::kUnknown) continue;
    if (run.passing) return Fail(ErrorCode::kUnavailable, run.fault);
    if (IsInhabited(GroupOfContainer(entry.group, run.container))) {
      return Fail(ErrorCode::kInvalidArgument, run.fault);
    }
    run.state = run.let_go ? RunState::kLost : RunState::kNeverRan;
  }
  if (!strange.empty()) dead_runs_.Add(std::move(strange));
  return runs;
}

std::vector<ContainerRecord> Runtime::AdoptRuns(PodEntry& entry, std::vector<FoundRun> runs) {
  std::vector<ContainerRecord> records;
  for (auto first = runs.begin(); first != runs.end();) {
    const auto last = std::find_if(
        first, runs.end(), [&](const FoundRun& run) { return run.container != first->container; });
    std::vector<const FoundRun*> of_container;
    for (auto run = first; run != last; ++run) of_container.push_back(&*run);
    const std::uint64_t oom_kills =
        surroundings_.cgroups.ReadOomKills(GroupOfContainer(entry.group, first->container))
            .value_or(0);
    const std::vector<bool> oom_killed = OomKilled(of_container, oom_kills);
    Instant earliest = Instant::min();
    for (std::size_t i = 0; first != last; ++first, ++i) {
      entry.newest[first->container] = first->attempt;  // they come in the order of attempts
      if (auto record = AdoptRun(entry, std::move(*first), oom_killed[i], earliest)) {
        earliest = record->exit ? record->exit->finished : record->created;
        records.push_back(std::move(*record));
      }
    }
  }
  return records;
}

std::optional<ContainerRecord> Runtime::AdoptRun(PodEntry& entry, FoundRun run, bool oom_killed,
                                                 Instant earliest) {
  const Pod& pod = entry.plan.pod;
  const std::string group = GroupOfContainer(entry.group, run.container);
  if (run.state == RunState::kNeverRan && run.shim) {
    // The word to go may still have been on its way; once its shim is gone the folder is final.
    (void)EndProcess(run.shim, kShimEndTimeoutMs);
    FoundRun last = ReadRun(surroundings_.paths.Run(pod.uid, run.container, run.attempt),
                            surroundings_.boot_id);
    last.container = run.container;
    last.attempt = run.attempt;
    run = std::move(last);
  }
  if (!run.fault.empty()) surroundings_.Log(run.fault);
  ContainerRecord record = RecordOf(pod.uid, run, surroundings_.clock, earliest);
  switch (run.state) {
    case RunState::kEnded: {
      record.exit = ExitOf(*run.exit, record.created, surroundings_.clock, oom_killed);
      return record;
    }
    case RunState::kUnknown:  // its shim was ended, so nothing of it runs
    case RunState::kNeverRan:
      surroundings_.LogFailure("end a run that never ran", surroundings_.cgroups.Kill(group));
      RemoveUnusedRun(surroundings_.paths, pod, run.container, run.attempt);
      return std::nullopt;
    case RunState::kLost: {
      surroundings_.LogFailure("end a run without shim", surroundings_.cgroups.Kill(group));
      const ExitRecord lost = LostRun(CreationOf(run), surroundings_.clock.Wall());
      surroundings_.LogFailure(
          "note a run without shim",
          WriteExitRecord(surroundings_.paths.Run(pod.uid, run.container, run.attempt), lost));
      record.exit = ExitOf(lost, record.created, surroundings_.clock, oom_killed);
      return record;
    }
    case RunState::kRunning: break;
  }
  const Container* const spec = FindContainer(pod, run.container);
  if (spec == nullptr) {
    surroundings_.Log(fmt::format("pod {} has no container {}, but it runs: it is ended",
                                  FullName(pod), run.container));
    surroundings_.LogFailure("end a strange run", surroundings_.cgroups.Kill(group));
    return std::nullopt;
  }
  auto adopted = std::make_unique<ContainerRun>(
      surroundings_, RunName{pod.uid, run.container, run.attempt}, entry.plan, *spec, group);
  adopted->Adopt(std::move(run), record.created);
  entry.runs[record.name] = std::move(adopted);
  return record;
}

// A pod whose creation or removal was interrupted. Nobody will ever ask for it again, so nothing of
// it may stay.
void Runtime::RemoveLeftover(const std::string& uid) {
  PodRemains remains{
      .uid = uid, .groups = {}, .log_dirs = {}, .mount_point_user = [this](std::string_view path) {
        return MountPointUserOf(path);
      }};
  std::vector<std::string> strange;
  const auto runs = ReadRuns(surroundings_.paths, uid, surroundings_.boot_id, strange)
                        .value_or(std::vector<FoundRun>{});
  for (const FoundRun& run : runs) {
    if (run.shim && run.state == RunState::kNeverRan) {
      (void)EndProcess(run.shim, kShimEndTimeoutMs);
    }
  }
  for (const QosClass qos : kQosClasses) {
    remains.groups.push_back(PodGroup(qos, uid, surroundings_.options.cgroup_driver));
    surroundings_.LogFailure("end pod " + uid, surroundings_.cgroups.Kill(remains.groups.back()));
  }
  // A shim whose container has been killed ends by itself, and reaps it.
  for (const FoundRun& run : runs) {
    if (run.shim && !AwaitEnd(run.shim, kShimEndTimeoutMs)) {
      (void)EndProcess(run.shim, kShimEndTimeoutMs);
    }
  }
  const std::string logs = surroundings_.paths.Logs();
  for (const std::string& name : NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (IsLogsOf(name, uid)) remains.log_dirs.push_back(fmt::format("{}/{}", logs, name));
  }
  if (!PodRemoval(surroundings_, std::move(remains)).Finish(kLeftoverTimeout)) {
    surroundings_.Log(
        fmt::format("pod {}: what an earlier agent left of it cannot be removed", uid));
  }
}

}  // namespace jettison::process
