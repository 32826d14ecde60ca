#include "sources/foreign/foreign_roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "kernel/files/paths.h"

namespace jettison {
namespace {

// How long it may take to take a pod down. Its memory is free when its containers have ended;
// what is left of it is the responsibility of the software that runs it.
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

ForeignPod::ForeignPod(RunDependencies& dependencies, Pod pod, FoundForeignPod finding)
    : dependencies_(dependencies),
      pod_(std::move(pod)),
      finding_(std::move(finding)),
      groups_(PodGroupsOf(finding_.containers, pod_.uid)) {}

RuntimePod ForeignPod::Begin() {
  RuntimePod found{.pod = pod_,
                   .foreign = true,
                   .origin = finding_.origin,
                   .spared = finding_.spared,
                   .kill_at_once = finding_.kill_at_once};
  const Clock& clock = dependencies_.clock;
  const Instant now = clock.Now();
  for (const ForeignContainer& container : finding_.containers) {
    found.containers.push_back({.pod_uid = pod_.uid,
                                .name = container.name,
                                .attempt = container.attempt,
                                .created = InstantOfNs(container.created_at, now, clock)});
    const Container* const spec = kernel::FindContainer(pod_, container.name);
    if (spec == nullptr) continue;
    auto run = std::make_unique<RunningContainer>(
        dependencies_,
        RunIdentity{
            .pod = pod_, .container = *spec, .pod_group = no_group_, .attempt = container.attempt});
    run->Expect();
    run->Begin({.id = container.id,
                .pid = container.pid,
                .stop_signal = container.stop_signal,
                .started = InstantOfNs(container.started_at, now, clock),
                .group = container.group},
               container.keeper);
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
  dependencies_.readiness.Wake();
}

// Not before the first kill, because a pod that is asked to end may have to start a process for
// that; and only after the kills that are commanded together with it, because the kernel may take
// long for a hold. This is early enough: to start a container again takes a tenth of a second.
void ForeignPod::Hold() {
  if (finding_.keeper && !std::exchange(held_, true)) finding_.keeper->Hold();
}

void ForeignPod::Remove() {
  ending_ = true;
  if (std::exchange(removing_, true)) return;
  for (auto& [name, run] : runs_) run->Kill();
  dependencies_.readiness.Wake();
}

void ForeignPod::Advance() {
  if (gone_ || taking_down_) return;
  if (hold_due_) Hold();
  const bool ended =
      std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.second->ended(); });
  if (!ended) return;
  if (ending_) Hold();
  if (removing_) return TakeDown();
  if (!ending_) TellRemoved();
}

void ForeignPod::TakeDown() {
  taking_down_ = true;
  if (!finding_.keeper) return TellRemoved();
  on_patience_ = dependencies_.readiness.After(kStopPatience, [this] { TellRemoved(); });
  finding_.keeper->TakeDown(
      dependencies_.request_timeout, lifetime_.Guard([this](const Result<void>& down) {
        dependencies_.LogFailure(
            fmt::format("{} of pod {}", finding_.keeper->HowItEnds(), FullName(pod_)), down);
        TellRemoved();
      }));
}

void ForeignPod::TellRemoved() {
  on_patience_.Stop();
  if (std::exchange(gone_, true)) return;
  dependencies_.Emit(PodRemoved{pod_.uid});
}

void ForeignPod::OnListed(const std::set<std::string>& running) {
  if (ending_ || gone_) return;
  const bool same = std::includes(finding_.considered.begin(), finding_.considered.end(),
                                  running.begin(), running.end());
  if (running.empty() || !same) TellRemoved();
}

PodDisk ForeignPod::Disk() const {
  PodDisk disk{.empty_dirs = finding_.local_volumes};
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

ForeignRoster::ForeignRoster(RunDependencies& dependencies,
                             std::function<bool(const std::string&)> taken,
                             std::function<void(RuntimePod)> tell)
    : dependencies_(dependencies), taken_(std::move(taken)), tell_(std::move(tell)) {}

Result<void> ForeignRoster::Take(FoundForeignPod finding, Complaints& complaints) {
  const std::string id = finding.identity.key;
  Pod pod = std::move(finding.reading.pod);
  const auto is_taken = [&] { return taken_(pod.uid) || pods_.contains(pod.uid); };
  if (is_taken()) pod.uid = id;
  if (is_taken()) return Fail(ErrorCode::kInvalidArgument, "another pod has its ID as UID");
  for (const std::string& ignored : finding.reading.ignored) {
    complaints.Say(id, fmt::format("annotation of pod {} makes no sense and is ignored: {}",
                                   FullName(pod), ignored));
  }
  auto& place = pods_[pod.uid];
  keys_.emplace(id, pod.uid);
  place = std::make_unique<ForeignPod>(dependencies_, std::move(pod), std::move(finding));
  tell_(place->Begin());
  return {};
}

void ForeignRoster::OnListed(const std::string& list,
                             const std::map<std::string, std::set<std::string>>& running) {
  for (const auto& [uid, pod] : pods_) {
    if (pod->list() != list) continue;
    const auto told = running.find(pod->key());
    pod->OnListed(told == running.end() ? std::set<std::string>{} : told->second);
  }
  Advance();
}

void ForeignRoster::OnOneListed(const std::string& list, const std::string& key,
                                const std::set<std::string>& running) {
  std::vector<std::string> gone;
  for (auto at = keys_.lower_bound({key, ""}); at != keys_.end() && at->first == key; ++at) {
    ForeignPod& pod = *pods_.at(at->second);
    if (pod.list() != list) continue;
    pod.OnListed(running);
    pod.Advance();
    if (pod.gone()) gone.push_back(at->second);
  }
  for (const std::string& uid : gone) Forget(uid);
}

void ForeignRoster::Advance() {
  std::vector<std::string> gone;
  for (const auto& [uid, pod] : pods_) {
    pod->Advance();
    if (pod->gone()) gone.push_back(uid);
  }
  for (const std::string& uid : gone) Forget(uid);
}

void ForeignRoster::Forget(const std::string& uid) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  keys_.erase({at->second->key(), uid});
  pods_.erase(at);
}

bool ForeignRoster::Has(const std::string& key) const {
  const auto at = keys_.lower_bound({key, ""});
  return at != keys_.end() && at->first == key;
}

ForeignPod* ForeignRoster::Find(const std::string& uid) const {
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second.get();
}

}  // namespace jettison
