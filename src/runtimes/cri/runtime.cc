#include "runtimes/cri/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "kernel/processes/processes.h"
#include "pods/pod_groups.h"
#include "rpc/calls.h"
#include "runtimes/cri/containers/pod_removal.h"
#include "runtimes/cri/containers/systemd_slices.h"
#include "runtimes/cri/cri_runtime.h"

namespace jettison::cri {
namespace {

// How long List waits for all of its answers. The node is not guarded meanwhile. After that the
// agent guards what it knows without the runtime, and asks again.
constexpr Duration kListWait = std::chrono::milliseconds(500);

}  // namespace

Runtime::Runtime(RuntimeDependencies dependencies, const CriRuntimeOptions& options,
                 Cgroups& cgroups, GroupEnd& group_end, const Clock& clock)
    : dependencies_(std::move(dependencies)),
      readiness_(dependencies_.readiness.get()),
      context_{{{.processes = *dependencies_.processes,
                 .cgroups = cgroups,
                 .group_end = group_end,
                 .clock = clock,
                 .readiness = *readiness_,
                 .request_timeout = options.request_timeout,
                 .log = options.log},
                kernel::Paths(options.root, options.logs),
                options.cgroup_driver,
                options.path_patience,
                kernel::DiskWork(*readiness_, options.disk_thread)},
               options,
               *dependencies_.calls,
               dependencies_.slices},
      inventory_(context_),
      pods_(context_),
      leftovers_(context_,
                 [this](PodRemains remains) {
                   return std::make_unique<PodRemoval>(context_, std::move(remains));
                 }),
      observed_(context_, {.pods = pods_,
                           .inventory = inventory_,
                           .leftovers = leftovers_,
                           .forget = [this](const std::string& uid) { NoteTaken(uid); }}),
      rotation_(
          context_, context_.options, [this] { return pods_.RunningLogs(); },
          [this](const RunningLog& log, auto done) { pods_.ReopenLog(log, std::move(done)); }) {
  Calls& calls = *dependencies_.calls;
  on_answers_ = readiness_->OnReadable(calls.fd(), [&calls] { calls.Deliver(); });
}

UidClaim Runtime::ClaimOn(const std::string& uid) const {
  if (pods_.Has(uid)) return UidClaim::kPod;
  return leftovers_.Find(uid) != nullptr ? UidClaim::kRemains : UidClaim::kNone;
}

void Runtime::NoteTaken(const std::string& uid) {
  if (on_taken_) on_taken_(uid);
}

std::vector<RuntimePod> Runtime::Recall() {
  recalled_ = true;
  return pods_.Recall();
}

Result<std::vector<RuntimePod>> Runtime::List() {
  // Perhaps the pods could not be looked at before.
  const auto own = kernel::CheckPodsAreOwn(context_.paths.Pods(), kernel::kCriPodMarks);
  if (!own && own.error().code == ErrorCode::kInvalidArgument) return Fail(own.error());
  auto found = inventory_.FindAll(recalled_ ? Duration::zero() : kListWait);
  if (!found) return Fail(found.error());
  auto pods = pods_.TakeOverAll(
      *found, [&](const std::string& uid, const Sandboxes& sandboxes, const Error& error) {
        observed_.Enter(uid, sandboxes, found->listing, error);
      });
  for (RuntimePod& unlisted :
       pods_.TakeOverUnlisted(OwnSandboxes(context_, found->listing),
                              [this](const std::string& uid) { return observed_.Has(uid); })) {
    pods.push_back(std::move(unlisted));
  }
  pods_.WriteRecords(false);
  SettleFolders(found->listing);
  if (listener_) listener_(found->listing);
  adopted_ = true;
  ScheduleRelist(context_.options.relist_period);
  rotation_.Start();
  return pods;
}

// Settles the folders of pods that the runtime does not have.
void Runtime::SettleFolders(const Listing& listing) {
  for (const std::string& uid : leftovers_.Begin().value_or(std::vector<std::string>{})) {
    if (pods_.Has(uid) || observed_.Has(uid)) continue;
    const auto written = ReadPodRecord(context_, uid);
    if (!written && written.error().code == ErrorCode::kNotFound) {
      SettleWithoutRecord(uid, listing);
      continue;
    }
    observed_.Enter(
        uid, {}, listing,
        written ? Error{ErrorCode::kUnavailable, "its record could not be read a moment ago"}
                : written.error());
  }
}

// The folder is a leftover if nothing runs in the pod's groups. Otherwise its record could not be
// written, and this runtime is not the one on which it was created, or has lost its state. Where no
// container has had a log, the creation was interrupted, and its sandbox may still appear.
void Runtime::SettleWithoutRecord(const std::string& uid, const Listing& listing) {
  const std::string folder = context_.paths.Pod(uid);
  if (!kernel::IsPodFolder(folder)) {
    return context_.Log(fmt::format("{} is no pod of an agent, and is left as it is", folder));
  }
  const auto group =
      InhabitedOf(context_.cgroups, PossibleGroupsOf(uid, context_.options.cgroup_driver));
  if (!group) return leftovers_.Remove(uid);
  const auto logs = kernel::LogFoldersOf(context_.paths, uid);
  const auto has_logs = [](const std::string& logs_of_pod) {
    const auto containers = kernel::NamesIn(logs_of_pod);
    return !containers || !containers->empty();
  };
  if (logs && std::ranges::none_of(*logs, has_logs)) {
    unsettled_.insert(uid);
    return;
  }
  observed_.Enter(uid, {}, listing,
                  {ErrorCode::kInvalidArgument,
                   fmt::format("{} is missing, but processes run, or may run, in its group {}",
                               RecordFile(context_, uid), *group)});
}

void Runtime::ScheduleRelist(Duration delay) {
  on_relist_ = readiness_->After(delay, [this] {
    on_relist_.Stop();
    Relist();
  });
}

void Runtime::Relist() {
  if (!adopted_ || relisting_) return;
  relisting_ = true;
  inventory_.List([this](const Result<Listing>& listing) {
    relisting_ = false;
    OnListing(listing);
    ScheduleRelist(context_.options.relist_period);
  });
}

// If the runtime does not answer, it is asked again later; the callers that wait for something
// report it.
void Runtime::OnListing(const Result<Listing>& listing) {
  pods_.WriteRecords(true);
  if (!listing) return;
  for (const auto& [uid, actor] : pods_.actors()) actor->OnListed(*listing);
  RemoveStrays(*listing);
  for (const std::string& uid : std::exchange(unsettled_, {})) {
    if (!pods_.Has(uid) && leftovers_.Find(uid) == nullptr && !observed_.Has(uid)) {
      SettleWithoutRecord(uid, *listing);
    }
  }
  observed_.OnListed(*listing);
  if (listener_) listener_(*listing);
}

// Removes sandboxes that this agent made and does not know: their creation failed after the runtime
// had begun. A sandbox that cannot be read may be something else and is left alone.
void Runtime::RemoveStrays(const Listing& listing) {
  const auto pods = OwnSandboxes(context_, listing);
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (!IsOurs(context_, sandbox) || HasOwner(sandbox)) continue;
    const std::string& uid = sandbox.metadata().uid();
    if (pods_.Has(uid)) {
      if (std::exchange(clearing_, true)) continue;  // the next listing has it again
      clearance_ = std::make_unique<SandboxClearance>(
          context_, uid, [this](const Result<std::uint32_t>& cleared) {
            context_.LogFailure("remove a sandbox that no pod has", cleared);
            clearing_ = false;
          });
      clearance_->StartWith(sandbox.id());
    } else if (kernel::IsPathSegment(uid) && observed_.IsReadable(uid, pods.at(uid), listing)) {
      leftovers_.Remove(uid);
    }
  }
}

bool Runtime::HasOwner(const api::PodSandbox& sandbox) const {
  const std::string& uid = sandbox.metadata().uid();
  const PodActor* const actor = pods_.Find(uid);
  return (actor != nullptr && actor->Claims(sandbox.id())) || leftovers_.Find(uid) != nullptr ||
         observed_.Has(uid);
}

void Runtime::CreatePod(const PodPlan& plan) {
  const Pod& pod = *plan.pod;
  const auto fail = [&](Error error) { context_.Emit(PodFailed{pod.uid, std::move(error)}); };
  if (auto names = kernel::CheckNames(pod); !names) return fail(names.error());
  const PodActor* const existing = pods_.Find(pod.uid);
  if (existing != nullptr && !existing->removing()) {
    return context_.Emit(PodReady{pod.uid});
  }
  const jettison::PodRemoval* const leftover = leftovers_.Find(pod.uid);
  if (existing != nullptr || leftover != nullptr) {
    const std::string why = existing != nullptr ? existing->Problem() : leftover->problem();
    return fail({ErrorCode::kUnavailable,
                 "a pod of the same UID is still being removed" + (why.empty() ? "" : ": " + why)});
  }
  if (observed_.Has(pod.uid)) return observed_.Refuse(plan);
  if (unsettled_.contains(pod.uid)) {
    return fail({ErrorCode::kUnavailable,
                 "an earlier creation of the pod may still be under way in the container runtime"});
  }
  if (auto place = kernel::CheckPodPlace(context_.paths.Pod(pod.uid)); !place) {
    return fail(place.error());
  }
  NoteTaken(pod.uid);
  pods_.Create(plan);
}

void Runtime::StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                             int oom_score_adj) {
  if (PodActor* pod = pods_.Find(pod_uid)) {
    return pod->StartContainer(container, attempt, oom_score_adj);
  }
  context_.RefuseStart(pod_uid, container, attempt, {ErrorCode::kNotFound, "there is no such pod"});
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
  PodActor* const pod = pods_.Find(pod_uid);
  if (pod != nullptr && !pod->removing()) pod->runs().Remove(container, attempt);
}

void Runtime::RemovePod(const std::string& pod_uid) {
  if (PodActor* pod = pods_.Find(pod_uid)) return pod->Remove();
  context_.Emit(PodRemoved{pod_uid});
}

PodDisk Runtime::DiskOf(const Pod& pod) const {
  const PodActor* const own = pods_.Find(pod.uid);
  return own == nullptr ? kernel::DiskOf(context_.paths, pod) : own->Disk();
}

std::string_view Runtime::GroupOf(const std::string& pod_uid, const std::string& container) const {
  const ContainerRun* const run = pods_.FindRun(pod_uid, container);
  return run == nullptr ? std::string_view() : run->group();
}

std::vector<RuntimeEvent> Runtime::TakeEvents() {
  context_.taking = true;
  readiness_->Dispatch();
  pods_.Advance();
  leftovers_.Advance();
  if (std::exchange(context_.relist_wanted, false)) Relist();
  context_.taking = false;
  return std::exchange(context_.events, {});
}

}  // namespace jettison::cri

namespace jettison {

Result<std::unique_ptr<CriRuntime>> OpenCriRuntime(CriRuntimeOptions options,
                                                   std::unique_ptr<cri::Calls> calls,
                                                   Cgroups& cgroups, GroupEnd& group_end,
                                                   const Clock& clock) {
  options = Tidied(std::move(options));
  auto lock =
      kernel::OpenRootFolders(kernel::Paths(options.root, options.logs), kernel::kCriPodMarks);
  if (!lock) return Fail(lock.error());
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  cri::RuntimeDependencies dependencies{.calls = std::move(calls),
                                        .processes = std::make_unique<HostProcesses>(),
                                        .readiness = std::move(*readiness),
                                        .lock = std::move(*lock),
                                        .slices = nullptr};
  if (options.cgroup_driver == CgroupDriver::kSystemd) {
    dependencies.slices = cri::SlicesOfSystemd();
  }
  return std::make_unique<cri::Runtime>(std::move(dependencies), options, cgroups, group_end,
                                        clock);
}

}  // namespace jettison
