#include "runtimes/cri/pod_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "containers/cri_container.h"
#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "pods/pod_removal.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {
namespace {

// Whether its start was interrupted, by the end of the agent or of the runtime.
bool NeverRan(const api::ContainerStatus& status) {
  return status.state() == api::CONTAINER_CREATED ||
         (status.state() == api::CONTAINER_EXITED && status.started_at() == 0);
}

}  // namespace

PodRuns::PodRuns(RuntimeContext& context, const PodPlan& plan, const std::string& group,
                 std::function<void(std::function<void()>)> write_down)
    : context_(context), plan_(plan), group_(group), write_down_(std::move(write_down)) {}

bool PodRuns::AwaitsAnswer(const std::string& name) const {
  const auto run = runs_.find(name);
  return run != runs_.end() && run->second->busy();
}

ContainerRun* PodRuns::Find(const std::string& name) const {
  const auto run = runs_.find(name);
  return run == runs_.end() || run->second->ended() ? nullptr : run->second.get();
}

StartOrder PodRuns::OrderFor(const Container& container, int attempt, int adj) const {
  return {.pod = pod_,
          .container = container,
          .pod_group = group_,
          .attempt = attempt,
          .oom_score_adj = adj,
          .limits = LimitsOf(plan_, container.name),
          .write_down = write_down_};
}

ContainerRun& PodRuns::Begin(const Container& container, int attempt, int oom_score_adj) {
  NoteIds();
  // The call that starts a container may fail because the runtime has ended in the middle of it,
  // and the process may run all the same.
  const auto before = runs_.find(container.name);
  if (before != runs_.end() && !before->second->left_by_failed_start().empty()) {
    interrupted_[container.name] = before->second->left_by_failed_start();
  }
  StartOrder order = OrderFor(container, attempt, oom_score_adj);
  if (const auto left = interrupted_.find(container.name); left != interrupted_.end()) {
    order.interrupted = left->second;
  }
  auto run = std::make_unique<ContainerRun>(context_, order);
  ContainerRun& begun = *run;
  runs_[container.name] = std::move(run);
  return begun;
}

std::optional<ContainerRecord> PodRuns::Adopt(const api::ContainerStatusResponse& container) {
  const api::ContainerStatus& status = container.status();
  const std::string& name = status.metadata().name();
  const int attempt = static_cast<int>(status.metadata().attempt());
  const Container* const spec = kernel::FindContainer(pod_, name);
  if (spec == nullptr) {
    Forget(status.id());
    return std::nullopt;
  }
  const Clock& clock = context_.clock;
  const Instant now = clock.Now();
  const Instant created = InstantOfNs(status.created_at(), now, clock);
  ContainerRecord record{
      .pod_uid = pod_.uid, .name = name, .attempt = attempt, .created = created, .exit = {}};
  if (const auto run = runs_.find(name); run != runs_.end() && run->second->id() == status.id()) {
    // The run was recalled already. If it has ended since, an event reports that; if it was never
    // started, it is killed.
    if (!run->second->running()) return std::nullopt;
    if (NeverRan(status)) run->second->Kill();
    return record;
  }
  if (NeverRan(status)) {
    Forget(status.id());
    interrupted_[name] = status.id();
    record.never_ran = true;
    return record;
  }
  ids_[{name, attempt}] = status.id();
  const KernelWord seen{.started = InstantOfNs(status.started_at(), created, clock, created),
                        .finished = now};
  if (status.state() == api::CONTAINER_EXITED) {
    record.exit = ExitOf(StandingOf(status).end, seen, clock);
    return record;
  }
  if (status.state() != api::CONTAINER_RUNNING) {
    const bool goes_on = MayRun(status.id());
    context_.Log(
        fmt::format("the container runtime does not know the state of container {} of pod {}; {}",
                    name, FullName(pod_), goes_on ? "it continues" : "it has ended"));
    if (!goes_on) {
      Forget(status.id());
      ids_.erase({name, attempt});
      record.exit = ExitOf(seen);
      return record;
    }
  }
  const StartedContainer found{
      .id = status.id(), .pid = ProcessOf(container), .started = seen.started};
  auto run = std::make_unique<ContainerRun>(context_, OrderFor(*spec, attempt, 0));
  run->Adopt(found);
  runs_[name] = std::move(run);
  return record;
}

// What the runtime tells of a container whose state it does not know may be about a process that
// has ended, so the kernel alone is asked.
std::optional<pid_t> PodRuns::ProcessOf(const api::ContainerStatusResponse& container) const {
  if (container.status().state() == api::CONTAINER_RUNNING) {
    if (const auto pid = PidOf(container)) return pid;
  }
  return FirstProcessOf(context_, group_, container.status().id()).value_or(std::nullopt);
}

// Whether the kernel shows a process of the container, or cannot be asked.
bool PodRuns::MayRun(const std::string& container_id) const {
  const auto pid = FirstProcessOf(context_, group_, container_id, Counts::kStarted);
  return !pid || *pid;
}

void PodRuns::Recall(const std::vector<PodRecord::Run>& runs) {
  for (const PodRecord::Run& run : runs) {
    const Container* const spec = kernel::FindContainer(pod_, run.container);
    if (spec == nullptr || runs_.contains(run.container)) continue;
    const auto pid = FirstProcessOf(context_, group_, run.id, Counts::kStarted);
    if (!pid || !*pid) continue;
    auto found = std::make_unique<ContainerRun>(context_, OrderFor(*spec, run.attempt, 0));
    // The wall clock of the earlier agent may have been ahead. A back-off from a start in the
    // future would last too long.
    const Instant started = std::min(run.started, context_.clock.Now());
    found->Adopt({.id = run.id, .pid = *pid, .stop_signal = run.stop_signal, .started = started});
    if (!found->running()) continue;  // it has just ended, and the runtime will say how
    ids_[{run.container, run.attempt}] = run.id;
    runs_[run.container] = std::move(found);
  }
}

std::vector<PodRecord::Run> PodRuns::Written() const {
  std::vector<PodRecord::Run> written_runs;
  for (const auto& [name, run] : runs_) {
    const auto known = run->KnownOrOrdered();
    if (!known) continue;
    written_runs.push_back({.container = name,
                            .attempt = run->attempt(),
                            .id = known->id,
                            .started = known->started,
                            .stop_signal = known->stop_signal});
  }
  return written_runs;
}

std::vector<ContainerRecord> PodRuns::Running() const {
  std::vector<ContainerRecord> records;
  for (const auto& [name, run] : runs_) {
    const auto known = run->Known();
    if (!known) continue;
    records.push_back({.pod_uid = pod_.uid,
                       .name = name,
                       .attempt = run->attempt(),
                       .created = known->started,
                       .exit = {}});
  }
  return records;
}

// Notes the IDs of the runs that have one by now.
void PodRuns::NoteIds() {
  for (const auto& [name, run] : runs_) {
    if (run->id().empty()) continue;
    ids_[{name, run->attempt()}] = run->id();
    interrupted_.erase(name);  // it was removed before this run got its ID
  }
}

void PodRuns::Remove(const std::string& name, int attempt) {
  const ContainerRun* const run = Find(name);
  if (run != nullptr && run->attempt() == attempt) return;  // not dead
  NoteIds();
  if (const auto id = ids_.find({name, attempt}); id != ids_.end()) {
    Forget(id->second);
    const auto newest = runs_.find(name);
    if (newest != runs_.end() && newest->second->id() == id->second) runs_.erase(newest);
    ids_.erase(id);
  }
  RemoveLogs(name, attempt);
}

void PodRuns::RemoveLogs(const std::string& name, int attempt) const {
  if (!kernel::IsPathSegment(name)) return;
  context_.disk.Do([logs = context_.paths.ContainerLogs(pod_, name), attempt]() -> Result<void> {
    RemoveLogsOfRun(logs, attempt);
    return {};
  });
}

// If the removal fails, a later listing finds the container as one that belongs to no run.
void PodRuns::Forget(const std::string& container_id) {
  RemoveContainerWithTask(context_.calls, container_id, context_.options.request_timeout,
                          lifetime_.Guard([this](const Result<void>& removed) {
                            context_.LogFailure("remove a container of pod " + FullName(pod_),
                                                removed);
                          }));
}

void PodRuns::KillAll() {
  for (auto& [name, run] : runs_) run->Kill();
}

bool PodRuns::AllEnded() const {
  return std::all_of(runs_.begin(), runs_.end(),
                     [](const auto& run) { return run.second->ended(); });
}

void PodRuns::AddLogs(std::vector<RunningLog>& logs) const {
  for (const auto& [name, run] : runs_) {
    if (!run->running()) continue;
    logs.push_back({.pod_uid = pod_.uid,
                    .container = name,
                    .path = context_.paths.Log(pod_, name, run->attempt())});
  }
}

void PodRuns::AddLayers(PodDisk& disk) const {
  for (PodDisk::ContainerDisk& container : disk.containers) {
    const auto run = runs_.find(container.name);
    if (run != runs_.end()) container.layer = run->second->layer();
  }
}

void PodRuns::OnListed(const Listing& listing, const std::string& sandbox_id) {
  NoteIds();
  std::set<std::string, std::less<>> listed;
  for (const api::Container& container : listing.containers) {
    if (container.pod_sandbox_id() != sandbox_id) continue;
    listed.insert(container.id());
    OnContainerListed(container);
  }
  // A listing may be older than a run.
  const auto missed_before = std::exchange(missed_, {});
  for (const auto& [name, run] : runs_) {
    if (run->ended() || run->id().empty() || listed.contains(run->id())) continue;
    missed_.insert(run->id());
    if (missed_before.contains(run->id())) {
      run->OnListedDead();
    } else {
      context_.WantRelist();
    }
  }
}

void PodRuns::OnContainerListed(const api::Container& container) {
  const std::string& name = container.metadata().name();
  const int attempt = static_cast<int>(container.metadata().attempt());
  const auto run = runs_.find(name);
  if (run != runs_.end()) {
    if (run->second->id() == container.id()) {
      if (container.state() == api::CONTAINER_EXITED) run->second->OnListedDead();
      return;
    }
    // The runtime's answer to its creation may be on the way.
    const bool is_open = !run->second->ended() || run->second->busy();
    if (is_open && run->second->attempt() == attempt) return;
  }
  const auto id = ids_.find({name, attempt});
  if (id != ids_.end() && id->second == container.id()) return;
  Forget(container.id());
}

}  // namespace jettison::cri
