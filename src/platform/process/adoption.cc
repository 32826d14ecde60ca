// What the runtime finds when it starts: the pods of an agent before it.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "platform/process/process_identity.h"
#include "platform/process/runtime.h"
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
    if (auto pod = ReadPod(uid)) {
      Enter(std::move(*pod));
    } else {
      leftovers.push_back(uid);
    }
  }
  // Only now: the pods that stay are known, and with them whose mount points must stay.
  for (const std::string& uid : leftovers) RemoveLeftover(uid);
  std::vector<RuntimePod> listed;
  for (auto& [uid, entry] : pods_) {
    // Groups and memory volumes do not outlive the machine's restart, the folders do.
    surroundings_.LogFailure("adopt pod " + FullName(entry.pod), PreparePod(entry));
    listed.push_back({.pod = entry.pod, .containers = AdoptRuns(entry)});
  }
  if (!pods_.empty()) UpdateQosGroups();
  return listed;
}

std::optional<Pod> Runtime::ReadPod(const std::string& uid) {
  const std::string path = surroundings_.paths.PodFile(uid);
  const auto text = ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  auto pod = text ? surroundings_.options.parse_pod(*text) : Fail(text.error());
  if (pod && pod->uid != uid) {
    pod = Fail(ErrorCode::kInvalidArgument, "it describes the pod " + pod->uid);
  }
  if (pod) {
    if (auto names = CheckNames(*pod); !names) pod = Fail(names.error());
  }
  if (pod) return std::move(*pod);
  surroundings_.Log(fmt::format("{}: {}; the pod is ended and removed", path, pod.error().message));
  return std::nullopt;
}

std::vector<ContainerRecord> Runtime::AdoptRuns(PodEntry& entry) {
  const std::string& uid = entry.pod.uid;
  std::vector<std::string> strange;
  std::vector<FoundRun> runs = ReadRuns(surroundings_.paths, uid, surroundings_.boot_id, strange);
  if (!strange.empty()) dead_runs_.Add(std::move(strange));
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
  const Pod& pod = entry.pod;
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
      surroundings_, RunName{pod.uid, run.container, run.attempt}, pod, *spec, group);
  adopted->Adopt(std::move(run), record.created);
  entry.runs[record.name] = std::move(adopted);
  return record;
}

// A pod whose creation or removal was interrupted, or whose record is damaged. Nobody will ever
// ask for it again, so nothing of it may stay.
void Runtime::RemoveLeftover(const std::string& uid) {
  PodRemains remains{
      .uid = uid, .groups = {}, .log_dirs = {}, .mount_point_user = [this](std::string_view path) {
        return MountPointUserOf(path);
      }};
  std::vector<std::string> strange;
  const auto runs = ReadRuns(surroundings_.paths, uid, surroundings_.boot_id, strange);
  for (const FoundRun& run : runs) {
    if (run.shim && run.state == RunState::kNeverRan) {
      (void)EndProcess(run.shim, kShimEndTimeoutMs);
    }
  }
  for (const QosClass qos : kQosClasses) {
    remains.groups.push_back(PodGroup(qos, uid, surroundings_.options.rules.cgroup_driver));
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
    if (name.ends_with("_" + uid)) remains.log_dirs.push_back(fmt::format("{}/{}", logs, name));
  }
  if (!PodRemoval(surroundings_, std::move(remains)).Finish(kLeftoverTimeout)) {
    surroundings_.Log(
        fmt::format("pod {}: what an earlier agent left of it cannot be removed", uid));
  }
}

}  // namespace jettison::process
