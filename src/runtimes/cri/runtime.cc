#include "runtimes/cri/runtime.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "kernel/processes/processes.h"
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
      adoption_(context_, {.pods = pods_,
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
  auto pods = adoption_.TakeOverAll(*found);
  if (listener_) listener_(found->listing);
  adopted_ = true;
  ScheduleRelist(context_.options.relist_period);
  rotation_.Start();
  return pods;
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
  adoption_.OnListed(*listing);
  if (listener_) listener_(*listing);
}

// Removes sandboxes that this agent made and does not know: their creation failed after the runtime
// had begun. A sandbox that cannot be read may be something else and is left alone.
void Runtime::RemoveStrays(const Listing& listing) {
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
    } else if (kernel::IsPathSegment(uid) && adoption_.IsReadable(uid, listing)) {
      leftovers_.Remove(uid);
    }
  }
}

bool Runtime::HasOwner(const api::PodSandbox& sandbox) const {
  const std::string& uid = sandbox.metadata().uid();
  const PodActor* const actor = pods_.Find(uid);
  return (actor != nullptr && actor->Claims(sandbox.id())) || leftovers_.Find(uid) != nullptr ||
         adoption_.Has(uid);
}

void Runtime::CreatePod(const PodPlan& plan) {
  const std::string& uid = plan.pod->uid;
  if (const PodActor* const existing = pods_.Find(uid)) {
    if (!existing->removing()) return context_.Emit(PodReady{uid});
    return context_.Emit(PodFailed{uid, StillBeingRemoved(existing->Problem())});
  }
  if (adoption_.IsUnsettled(uid)) {
    return context_.Emit(
        PodFailed{uid,
                  {ErrorCode::kUnavailable,
                   "an earlier creation of the pod may still be under way in the container "
                   "runtime"}});
  }
  if (const auto failed = adoption_.InTheWayOf(*plan.pod)) {
    context_.Emit(*failed);
    return adoption_.ReadAgain(plan);
  }
  NoteTaken(uid);
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
