#include "runtimes/process/adoption.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "kernel/readiness/pidfd.h"
#include "pods/pod_groups.h"
#include "runtimes/process/runs/run_record.h"

namespace jettison::process {

using namespace kernel;
namespace {

std::string RemovalMark(const Paths& paths, std::string_view uid) {
  return paths.PodFile(uid) + ".gone";
}

WallTime CreationOf(const FoundRun& run) {
  if (run.record) return run.record->created;
  return run.exit ? run.exit->started : WallTime{};
}

ContainerExit ExitOf(const ExitRecord& exit, Instant created, const Clock& clock, bool oom_killed) {
  const Instant started = InstantOf(exit.started, clock, created);
  return {.exit_code = exit.code,
          .signal = exit.signal,
          .oom_killed = oom_killed,
          .started = started,
          .finished = InstantOf(exit.finished, clock, started)};
}

// Succeeds if the disk gives all runs, be they damaged or missing.
Result<void> ReadThroughRuns(const Paths& paths, const std::string& uid,
                             const std::string& boot_id) {
  const auto runs = ReadRuns(paths, uid, boot_id);
  if (!runs) return Fail(runs.error());
  const auto passing = std::ranges::find(*runs, true, &FoundRun::passing);
  if (passing != runs->end()) return Fail(ErrorCode::kUnavailable, passing->fault);
  return {};
}

}  // namespace

// On a full disk the new name may find no room. Then the file is deleted: if the removal is
// interrupted after that, the next agent leaves the folder as it is.
void MarkAsRemoved(const Paths& paths, std::string_view uid) {
  const std::string file = paths.PodFile(uid);
  if (std::rename(file.c_str(), RemovalMark(paths, uid).c_str()) != 0) (void)::unlink(file.c_str());
}

bool Adoption::IsOwn(const std::string& uid) const {
  return pods_.all().contains(uid);
}

std::string Adoption::RecordOf(const std::string& uid) const {
  return context_.paths.PodFile(uid);
}

Result<PodPlan> Adoption::ReadPlan(const std::string& uid) const {
  const auto text = ReadFile(RecordOf(uid));
  if (!text) return Fail(text.error());
  auto plan = ReadWrittenPod(*context_.options.written_pods, *text, uid);
  if (!plan) return Fail(plan.error().In(RecordOf(uid)));
  return plan;
}

// A pod's file is written before its first run, and a removal that was interrupted has left a mark.
// A mark that cannot be looked up does not count: a folder with it is deleted.
Result<void> Adoption::CheckLeftover(const std::string& uid) const {
  const Paths& paths = context_.paths;
  if (::access(RemovalMark(paths, uid).c_str(), F_OK) == 0) return {};
  if (auto unused = jettison::Adoption::CheckLeftover(uid); !unused) return unused;
  const auto runs = ReadRuns(paths, uid, context_.boot_id);
  if (!runs) return IsPodFolder(paths.Pod(uid)) ? Fail(runs.error()) : Result<void>();
  if (runs->empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              RecordOf(uid) + " is missing, but containers of it have run");
}

void Adoption::EndKeepers(const std::string& uid) {
  const auto runs = ReadRuns(context_.paths, uid, context_.boot_id);
  if (!runs) return;
  for (const FoundRun& run : *runs) {
    if (run.shim) SendSignal(run.shim, SIGKILL);
  }
}

Result<RuntimePod> Adoption::TakeOver(const PodPlan& plan, const Error* unread) {
  PodEntry& entry = pods_.Enter(plan);
  auto runs = FindRuns(entry);
  if (!runs) {
    pods_.all().erase(plan.pod->uid);
    return Fail(runs.error());
  }
  context_.LogFailure("adopt pod " + FullName(*plan.pod), pods_.Check(entry));
  entry.foundation->MakeAgain();
  if (unread != nullptr) Mend(*plan.pod);
  return RuntimePod{.pod = *plan.pod, .containers = AdoptRuns(entry, std::move(*runs))};
}

// The runs of a pod; fails if it is not known what runs of the pod. A run with a damaged record
// does not run any more if the container's group is empty.
Result<std::vector<FoundRun>> Adoption::FindRuns(const PodEntry& entry) const {
  auto runs = ReadRuns(context_.paths, entry.plan.pod->uid, context_.boot_id);
  if (!runs) return runs;
  for (FoundRun& run : *runs) {
    if (run.state != RunState::kUnknown) continue;
    if (run.passing) return Fail(ErrorCode::kUnavailable, run.fault);
    if (IsInhabited(context_.cgroups, pods_.GroupOfContainer(entry, run.container))) {
      return Fail(ErrorCode::kInvalidArgument, run.fault);
    }
    run.state = RunState::kLost;
  }
  return runs;
}

std::vector<ContainerRecord> Adoption::AdoptRuns(PodEntry& entry, std::vector<FoundRun> runs) {
  std::vector<ContainerRecord> records;
  for (auto first = runs.begin(); first != runs.end();) {
    const auto last = std::find_if(
        first, runs.end(), [&](const FoundRun& run) { return run.container != first->container; });
    std::vector<const FoundRun*> of_container;
    for (auto run = first; run != last; ++run) of_container.push_back(&*run);
    const std::uint64_t oom_kills =
        context_.cgroups.ReadOomKills(pods_.GroupOfContainer(entry, first->container)).value_or(0);
    const std::vector<bool> oom_killed = OomKilled(of_container, oom_kills);
    Instant earliest = Instant::min();
    for (std::size_t i = 0; first != last; ++first, ++i) {
      entry.newest[first->container] = first->attempt;  // they are in the order of attempts
      const Surroundings surroundings{
          .oom_killed = oom_killed[i],
          .earliest = earliest,
          .a_later_run_goes_on = std::any_of(first + 1, last, [](const FoundRun& run) {
            return run.state == RunState::kRunning;
          })};
      if (auto record = AdoptRun(entry, std::move(*first), surroundings)) {
        earliest = record->exit ? record->exit->finished : record->created;
        records.push_back(std::move(*record));
      }
    }
  }
  return records;
}

// All runs of a container have one group.
void Adoption::EndRemains(const PodEntry& entry, const FoundRun& run,
                          const Surroundings& surroundings, std::string_view what) const {
  if (surroundings.a_later_run_goes_on) return;
  context_.LogFailure(what, context_.group_end.Kill(pods_.GroupOfContainer(entry, run.container)));
}

std::optional<ContainerRecord> Adoption::AdoptRun(PodEntry& entry, FoundRun run,
                                                  const Surroundings& surroundings) {
  const Pod& pod = *entry.plan.pod;
  if (run.state == RunState::kNeverRan) {
    // Its shim may be about to let it go. In a group that was killed, there is nothing left that
    // it could let go.
    EndRemains(entry, run, surroundings, "end a run that never ran");
    run = ReadRun(context_.paths, {pod.uid, run.container, run.attempt}, context_.boot_id);
    if (run.passing) run.state = RunState::kNeverRan;
  }
  if (!run.fault.empty()) context_.Log(run.fault);
  // This is the only place where real time is converted to the agent's clock.
  ContainerRecord record{
      .pod_uid = pod.uid,
      .name = run.container,
      .attempt = run.attempt,
      .created = InstantOf(CreationOf(run), context_.clock, surroundings.earliest),
      .exit = {},
      .of_earlier_life = run.record && run.record->shim.boot_id != context_.boot_id};
  switch (run.state) {
    case RunState::kEnded: {
      record.exit = ExitOf(*run.exit, record.created, context_.clock, surroundings.oom_killed);
      return record;
    }
    case RunState::kNeverRan:
      context_.disk.Do([paths = context_.paths, of = entry.plan.pod, container = run.container,
                        attempt = run.attempt]() -> Result<void> {
        RemoveUnusedRun(paths, *of, container, attempt);
        return {};
      });
      return std::nullopt;
    case RunState::kUnknown:  // it was let go a moment ago, and killed
    case RunState::kLost: {
      EndRemains(entry, run, surroundings, "end a run without shim");
      const ExitRecord lost = LostRun(CreationOf(run), context_.clock.Wall());
      NoteLost(context_, "note a run without shim",
               context_.paths.Run(pod.uid, run.container, run.attempt), lost);
      record.exit = ExitOf(lost, record.created, context_.clock, surroundings.oom_killed);
      return record;
    }
    case RunState::kRunning: break;
  }
  const Container* const spec = FindContainer(pod, run.container);
  if (spec == nullptr) {
    context_.Log(fmt::format("pod {} has no container {}, but it runs: it is ended", FullName(pod),
                             run.container));
    EndRemains(entry, run, {}, "end a strange run");
    return std::nullopt;
  }
  auto adopted = std::make_unique<ContainerRun>(
      context_, RunName{pod.uid, run.container, run.attempt}, entry.plan, *spec,
      pods_.GroupOfContainer(entry, run.container));
  adopted->Adopt(std::move(run), record.created);
  entry.runs[record.name] = std::move(adopted);
  return record;
}

// The folder of its logs has its name.
std::string Adoption::NameOf(const std::string& uid) const {
  std::string name = uid;
  const auto log_folders = LogFoldersOf(context_.paths, uid);
  for (const std::string& logs : log_folders.value_or(std::vector<std::string>{})) {
    name = logs.substr(logs.rfind('/') + 1);
    name = name.substr(0, name.size() - uid.size() - 1);
    std::ranges::replace(name, '_', '/');
  }
  return name;
}

std::function<Result<void>()> Adoption::Reader(const std::string& uid) const {
  return [paths = context_.paths, uid, boot_id = context_.boot_id] {
    return ReadThroughRuns(paths, uid, boot_id);
  };
}

void Adoption::Mend(const Pod& pod) {
  const std::string file = context_.paths.PodFile(pod.uid);
  context_.disk.Do(
      [file, text = context_.options.written_pods->Write(pod)] { return WriteFile(file, text); },
      [&context = context_, file](const Result<void>& written) {
        context.LogFailure("mend " + file, written);
        if (!written) return;
        context.Log(file + " was damaged or missing and is written anew");
      });
}

}  // namespace jettison::process
