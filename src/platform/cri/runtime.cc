#include "platform/cri/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "platform/cri/await.h"
#include "pod_host/paths.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;

// How long Ready waits for an answer; the agent asks again.
constexpr Duration kReadyWait = milliseconds(100);
// A probe that is not answered for so long has failed.
constexpr Duration kProbeDeadline = std::chrono::seconds(5);

// What keeps the runtime from working, by its own account.
Result<void> CheckStatus(const api::StatusResponse& status) {
  for (const api::RuntimeCondition& condition : status.status().conditions()) {
    if (condition.type() != "RuntimeReady" || condition.status()) continue;
    return Fail(ErrorCode::kUnavailable, fmt::format("the container runtime is not ready: {}: {}",
                                                     condition.reason(), condition.message()));
  }
  return {};
}

}  // namespace

Runtime::Runtime(RuntimeEdges edges, const CriRuntimeOptions& options, Cgroups& cgroups,
                 const Clock& clock)
    : edges_(std::move(edges)),
      readiness_(edges_.readiness.get()),
      surroundings_{.options = options,
                    .paths = pod_host::Paths(options.root, options.logs),
                    .calls = *edges_.calls,
                    .processes = *edges_.processes,
                    .cgroups = cgroups,
                    .clock = clock,
                    .readiness = *readiness_,
                    .events = {},
                    .slices = edges_.slices.get()},
      qos_groups_(cgroups, options.cgroup_driver),
      foreign_(surroundings_,
               {.taken =
                    [this](const std::string& uid) {
                      return pods_.contains(uid) || leftovers_.contains(uid) ||
                             unread_.contains(uid);
                    },
                .unread = [this](const api::PodSandbox& sandbox) { return IsUnread(sandbox); }}),
      rotation_(surroundings_, [this] { return RunningLogs(); }) {
  Calls& calls = *edges_.calls;
  on_answers_ = readiness_->OnReadable(calls.fd(), [&calls] { calls.Deliver(); });
}

bool Runtime::Await(Duration timeout, const std::function<bool()>& done) {
  return AwaitAnswers(*edges_.calls, timeout, done);
}

Result<void> Runtime::Ready() {
  if (!probe_) StartProbe();
  const std::shared_ptr<Probe> probe = probe_;
  const Duration wait = recalled_ ? Duration::zero() : kReadyWait;
  if (!Await(wait, [&] { return probe->outcome.has_value(); })) {
    return Fail(ErrorCode::kUnavailable, "the container runtime has not answered yet");
  }
  probe_.reset();
  return *probe->outcome;
}

void Runtime::StartProbe() {
  probe_ = std::make_shared<Probe>();
  surroundings_.calls.Version(kProbeDeadline, [probe = probe_, calls = edges_.calls.get()](
                                                  const Result<api::VersionResponse>& version) {
    if (!version) {
      probe->outcome = Fail(version.error());
      return;
    }
    calls->Status(api::StatusRequest(), kProbeDeadline,
                  [probe](const Result<api::StatusResponse>& status) {
                    probe->outcome = status ? CheckStatus(*status) : Fail(status.error());
                  });
  });
}

PodActor* Runtime::Find(const std::string& pod_uid) {
  const auto it = pods_.find(pod_uid);
  return it == pods_.end() ? nullptr : it->second.get();
}

ForeignPod* Runtime::FindForeign(const std::string& pod_uid) const {
  return pods_.contains(pod_uid) ? nullptr : foreign_.Find(pod_uid);
}

void Runtime::CreatePod(const PodPlan& plan) {
  if (surroundings_.draining) return;
  const Pod& pod = plan.pod;
  const auto fail = [&](Error error) { surroundings_.Emit(PodFailed{pod.uid, std::move(error)}); };
  if (auto names = pod_host::CheckNames(pod); !names) return fail(names.error());
  const PodActor* const existing = Find(pod.uid);
  if (existing != nullptr && !existing->removing()) {
    return surroundings_.Emit(PodReady{pod.uid});
  }
  const auto leftover = leftovers_.find(pod.uid);
  if (existing != nullptr || leftover != leftovers_.end()) {
    const std::string why = existing != nullptr ? existing->Problem() : leftover->second->problem();
    return fail({ErrorCode::kUnavailable,
                 "a pod of the same UID is still being removed" + (why.empty() ? "" : ": " + why)});
  }
  if (unread_.contains(pod.uid)) return RefuseUnread(plan);
  foreign_.Forget(pod.uid);
  const auto first_attempt = first_attempts_.find(pod.uid);
  auto actor = std::make_unique<PodActor>(surroundings_, plan);
  PodActor& created = *actor;
  pods_[pod.uid] = std::move(actor);
  UpdateQosGroups();
  created.Create(first_attempt == first_attempts_.end() ? 0 : first_attempt->second);
}

void Runtime::StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                             int oom_score_adj) {
  if (surroundings_.draining) return;
  if (PodActor* pod = Find(pod_uid)) return pod->StartContainer(container, attempt, oom_score_adj);
  surroundings_.Emit(ContainerStartFailed{.pod_uid = pod_uid,
                                          .container = container,
                                          .attempt = attempt,
                                          .error = {ErrorCode::kNotFound, "there is no such pod"}});
}

void Runtime::StopContainer(const std::string& pod_uid, const std::string& container,
                            Duration grace) {
  if (PodActor* pod = Find(pod_uid)) pod->StopContainer(container, grace);
  if (ForeignPod* pod = FindForeign(pod_uid)) pod->StopContainer(container, grace);
}

void Runtime::KillContainer(const std::string& pod_uid, const std::string& container) {
  if (PodActor* pod = Find(pod_uid)) pod->KillContainer(container);
  if (ForeignPod* pod = FindForeign(pod_uid)) pod->KillContainer(container);
}

void Runtime::RemoveContainer(const std::string& pod_uid, const std::string& container,
                              int attempt) {
  PodActor* const pod = Find(pod_uid);
  if (pod != nullptr && !pod->removing()) pod->RemoveContainer(container, attempt);
}

void Runtime::RemovePod(const std::string& pod_uid) {
  if (PodActor* pod = Find(pod_uid)) return pod->Remove();
  ForeignPod* const pod = FindForeign(pod_uid);
  // Whoever has wanted a pod of its UID does not mean the one that cannot be read.
  const bool is_meant = pod != nullptr && (pod->ending() || !unread_.contains(pod_uid));
  if (is_meant) return pod->Remove();
  surroundings_.Emit(PodRemoved{pod_uid});
}

PodDisk Runtime::DiskOf(const Pod& pod) const {
  if (const ForeignPod* foreign = FindForeign(pod.uid)) return foreign->Disk();
  const auto it = pods_.find(pod.uid);
  return it == pods_.end() ? pod_host::DiskOf(surroundings_.paths, pod) : it->second->Disk();
}

std::string_view Runtime::GroupOf(const std::string& pod_uid, const std::string& container) const {
  if (const ForeignPod* foreign = FindForeign(pod_uid)) return foreign->GroupOf(container);
  const auto it = pods_.find(pod_uid);
  return it == pods_.end() ? std::string_view() : it->second->GroupOf(container);
}

const std::vector<std::string>& Runtime::ForeignGroupsOf(const std::string& pod_uid) const {
  const ForeignPod* const foreign = FindForeign(pod_uid);
  return foreign == nullptr ? no_groups_ : foreign->groups();
}

std::vector<RunningLog> Runtime::RunningLogs() const {
  std::vector<RunningLog> logs;
  for (const auto& [uid, actor] : pods_) actor->AddLogs(logs);
  return logs;
}

void Runtime::UpdateQosGroups() {
  std::vector<const PodPlan*> pods;
  for (const auto& [uid, actor] : pods_) {
    if (!actor->removing()) pods.push_back(&actor->plan());
  }
  surroundings_.LogFailure("set the CPU shares of the pods' groups", qos_groups_.SetPods(pods));
}

void Runtime::Advance() {
  bool any_gone = false;
  for (auto it = pods_.begin(); it != pods_.end();) {
    auto& [uid, actor] = *it;
    actor->Advance();
    if (!actor->gone()) {
      ++it;
      continue;
    }
    // Names of sandboxes that were asked for in vain may stay taken; others are free again.
    first_attempts_.erase(uid);
    if (actor->next_attempt() > 1 && !actor->created()) {
      first_attempts_[uid] = actor->next_attempt();
    }
    if (actor->abandoned()) late_groups_[uid] = kLateListings;
    if (!adopted_) gone_unlisted_.insert(uid);
    it = pods_.erase(it);
    any_gone = true;
  }
  if (any_gone) UpdateQosGroups();
  foreign_.Advance();
  for (const std::string& id : std::exchange(done_stale_, {})) stale_.erase(id);
  std::erase_if(leftovers_, [](const auto& leftover) { return leftover.second->done(); });
}

// Of those pods that have changed in a way that counts for an agent after this one.
void Runtime::WriteRecords() {
  std::set<std::string_view> changed;
  for (const RuntimeEvent& event : surroundings_.events) {
    if (const auto* ready = std::get_if<PodReady>(&event)) changed.insert(ready->pod_uid);
    if (const auto* started = std::get_if<ContainerStarted>(&event)) {
      changed.insert(started->pod_uid);
    }
  }
  for (const std::string_view uid : changed) {
    const auto pod = pods_.find(std::string(uid));
    if (pod != pods_.end()) pod->second->WriteRecord();
  }
}

std::vector<RuntimeEvent> Runtime::TakeEvents() {
  surroundings_.taking = true;
  readiness_->Dispatch();
  Advance();
  if (std::exchange(surroundings_.relist_wanted, false)) Relist();
  surroundings_.taking = false;
  WriteRecords();
  return std::exchange(surroundings_.events, {});
}

}  // namespace jettison::cri
