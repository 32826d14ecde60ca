#include "runtimes/cri/pod_actor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_plan.h"
#include "kernel/mounts/volumes.h"
#include "runtimes/cri/runtime_facts.h"

namespace jettison::cri {
namespace {

// Every container must be possible before any of them runs.
Result<void> CheckContainers(const kernel::Paths& paths, const Pod& pod) {
  for (const Container* container : kernel::ContainersOf(pod)) {
    auto plan = kernel::PlanMounts(paths, pod, *container);
    if (!plan) return Fail(plan.error());
    if (!container->image.empty()) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("container {} has no image: set spec.containers[].image", container->name));
  }
  return {};
}

}  // namespace

PodActor::PodActor(RuntimeContext& context, PodPlan plan)
    : context_(context),
      plan_(std::move(plan)),
      group_(kernel::PodGroup(plan_.qos, pod_.uid, context_.options.cgroup_driver)),
      runs_(context_, plan_, group_,
            [this](const std::function<void()>& then) { WriteRecord(then); }) {}

void PodActor::Create(std::uint32_t first_attempt) {
  state_ = State::kMaking;
  next_ = {.id = "", .attempt = first_attempt, .host_network = pod_.host_network};
  if (auto ok = CheckContainers(context_.paths, pod_); !ok) return OnSandbox(ok);
  making_ = std::make_unique<Lifetime>();
  foundation_ = std::make_unique<PodFoundation>(context_, plan_, group_);
  foundation_->Make([this](const Result<void>& made) {
    if (!made) return OnSandbox(made);
    StartSlice();
  });
}

// If there is no slice, the runtime has systemd make one without limits.
void PodActor::StartSlice() {
  if (context_.slices == nullptr) return AskStatus();
  context_.disk.DoCall(
      [slices = context_.slices, slice = kernel::UnitName(group_), limits = plan_.limits,
       by = Slices::In5s()] { return slices->Start(slice, limits, by); },
      making_->Guard([this](const Result<void>& started) {
        context_.LogFailure("pod " + FullName(pod_), started);
        AskStatus();
      }));
}

void PodActor::AskStatus() {
  if (pod_.host_network) return Clear();
  context_.calls.Make(kStatus, api::StatusRequest(), context_.options.request_timeout,
                      making_->Guard([this](const auto& answer) { OnStatus(answer); }));
}

void PodActor::OnStatus(const Result<api::StatusResponse>& answer) {
  if (!answer) {
    return OnSandbox(Fail(answer.error().In("ask the container runtime for its status")));
  }
  const auto* const network = ConditionIn(*answer, "NetworkReady");
  next_.host_network = network == nullptr || !network->status();
  Clear();
}

void PodActor::Clear() {
  clearance_ = std::make_unique<SandboxClearance>(
      context_, pod_.uid, [this](const Result<std::uint32_t>& next_attempt) {
        if (!next_attempt) return OnSandbox(Fail(next_attempt.error()));
        next_.attempt = std::max(next_.attempt, *next_attempt);
        RunSandbox();
      });
  clearance_->Start();
}

// Setting up a network may take long. (kubelet: RunPodSandbox gets twice the timeout)
void PodActor::RunSandbox() {
  api::RunPodSandboxRequest request;
  api::PodSandboxConfig& config = *request.mutable_config();
  config = DescriptionOf(context_, pod_, group_, next_);
  (*config.mutable_annotations())[std::string(kPodAnnotation)] =
      context_.options.written_pods->Write(pod_);
  context_.calls.Make(kRunPodSandbox, request, context_.options.request_timeout * 2,
                      making_->Guard([this](const auto& answer) { OnRun(answer); }));
}

void PodActor::OnRun(const Result<api::RunPodSandboxResponse>& answer) {
  if (answer && !answer->pod_sandbox_id().empty()) {
    next_.id = answer->pod_sandbox_id();
    return OnSandbox({});
  }
  context_.WantRelist();  // what is left of it is found and removed
  OnSandbox(Fail(answer ? Error{ErrorCode::kInternal,
                                "the container runtime created a sandbox and returned no ID"}
                        : answer.error().In("make the sandbox")));
}

void PodActor::OnSandbox(const Result<void>& made) {
  state_ = made ? State::kReady : State::kAbsent;
  if (made) {
    sandbox_ = next_;
    is_missed_ = false;
    if (!std::exchange(created_, true)) context_.Emit(PodReady{pod_.uid});
    WriteRecord();
  } else {
    sandbox_.attempt = next_.attempt;
    if (!created_) {
      create_error_ = made.error();
      removing_ = true;
      context_.readiness.Wake();
    }
  }
  for (const std::string& name : std::exchange(waiting_, {})) {
    ContainerRun* const run = runs_.Find(name);
    if (run == nullptr) continue;
    if (made) {
      run->Start(sandbox_);
    } else {
      run->RefuseStart(made.error());
    }
  }
}

void PodActor::Adopt(Sandbox sandbox, bool ready) {
  created_ = true;
  sandbox_ = std::move(sandbox);
  state_ = ready ? State::kReady : State::kAbsent;
  foundation_ = std::make_unique<PodFoundation>(context_, plan_, group_);
  foundation_->MakeAgain();
}

std::vector<ContainerRecord> PodActor::Recall(const PodRecord& record) {
  Adopt(record.sandbox, true);
  runs_.Recall(record.runs);
  return runs_.Running();
}

// A record names a sandbox, so there is none before the first one.
void PodActor::WriteRecord(const std::function<void()>& then) {
  if (removing_ || !created_ || sandbox_.id.empty()) {
    if (then) then();
    return;
  }
  const PodRecord record{.sandbox = sandbox_,
                         .runs = runs_.Written(),
                         .written_pod = context_.options.written_pods->Write(pod_)};
  context_.disk.Do([file = RecordFile(context_, pod_.uid),
                    text = FormatPodRecord(record)] { return kernel::RewriteFile(file, text); },
                   lifetime_.Guard([this, then](const Result<void>& written) {
                     OnWritten(written);
                     if (then) then();
                   }));
}

// A record that could not be written is written again with the next listing.
void PodActor::OnWritten(const Result<void>& written) {
  has_no_record_ = !written;
  if (written || !context_.said_no_records.Take()) return;
  context_.Log(fmt::format(
      "{}; it is tried again; until then, an agent that starts while the container runtime does "
      "not answer will not know the pod",
      written.error().In("write down pod " + FullName(pod_)).message));
}

void PodActor::StartContainer(const std::string& name, int attempt, int oom_score_adj) {
  const auto refuse = [&](ErrorCode code, std::string why) {
    context_.RefuseStart(pod_.uid, name, attempt, {code, std::move(why)});
  };
  const Container* const spec = kernel::FindContainer(pod_, name);
  if (removing_ || !created_) return refuse(ErrorCode::kNotFound, "there is no such pod");
  if (spec == nullptr) return refuse(ErrorCode::kNotFound, "the pod has no such container");
  if (runs_.Find(name) != nullptr) {
    return refuse(ErrorCode::kInvalidArgument, "the container runs already");
  }
  if (runs_.AwaitsAnswer(name)) {
    return refuse(ErrorCode::kUnavailable,
                  "the container runtime has not answered to the last start of the container");
  }
  ContainerRun& run = runs_.Begin(*spec, attempt, oom_score_adj);
  if (state_ == State::kReady) return run.Start(sandbox_);
  waiting_.push_back(name);
  if (state_ != State::kMaking) Create(next_attempt());
}

// A call that creates a sandbox may take minutes, so its result is not awaited; the next listing
// finds the sandbox and removes it.
void PodActor::Remove() {
  tell_removed_ = true;
  if (state_ == State::kMaking) {
    making_.reset();
    foundation_.reset();
    clearance_.reset();
    OnSandbox(Fail(ErrorCode::kUnavailable, "the pod was ended while its sandbox was being made"));
  }
  create_error_.reset();
  if (std::exchange(removing_, true)) return;
  RemoveRecord(context_, pod_.uid);
  runs_.KillAll();
  context_.readiness.Wake();
}

void PodActor::StartRemoval() {
  std::vector<std::string> layers;
  for (const PodDisk::ContainerDisk& container : Disk().containers) {
    if (!container.layer.empty()) layers.push_back(container.layer);
  }
  removal_.emplace(
      context_,
      PodRemains{.uid = pod_.uid, .groups = {group_}, .log_dirs = {context_.paths.PodLogs(pod_)}},
      std::move(layers));
  removal_->Start();
}

void PodActor::Advance() {
  if (!removing_ || gone_ || state_ == State::kMaking || !runs_.AllEnded()) return;
  if (!removal_) StartRemoval();
  // The failure to create a pod is reported even if the runtime does not answer.
  if (create_error_ && (removal_->done() || !removal_->problem().empty())) {
    context_.Emit(PodFailed{pod_.uid, *std::exchange(create_error_, std::nullopt)});
  }
  if (!removal_->done()) return;
  gone_ = true;
  if (tell_removed_) context_.Emit(PodRemoved{pod_.uid});
}

bool PodActor::Claims(const std::string& sandbox_id) const {
  return removing_ || state_ == State::kMaking || sandbox_.id == sandbox_id;
}

// Containers whose sandbox is gone have lost what they share. They are ended, and started again in
// a new sandbox. (kubelet: "Pod sandbox changed, it will be killed and re-created.")
void PodActor::OnListed(const Listing& listing) {
  if (removing_ || state_ == State::kMaking) return;
  const std::string& id = sandbox_.id;
  const auto own = std::find_if(listing.sandboxes.begin(), listing.sandboxes.end(),
                                [&](const auto& sandbox) { return sandbox.id() == id; });
  const bool ready = own != listing.sandboxes.end() && own->state() == api::SANDBOX_READY;
  const bool was_missed = std::exchange(is_missed_, state_ == State::kReady && !ready);
  if (is_missed_ && !was_missed) context_.WantRelist();  // that one may be older than the sandbox
  if (is_missed_ && was_missed) {
    LoseSandbox();
    context_.Log(fmt::format("the sandbox of pod {} has ended; its containers are ended, too",
                             FullName(pod_)));
    runs_.KillAll();
  }
  runs_.OnListed(listing, id);
}

PodDisk PodActor::Disk() const {
  PodDisk disk = kernel::DiskOf(context_.paths, pod_);
  runs_.AddLayers(disk);
  return disk;
}

void PodActor::AddLogs(std::vector<RunningLog>& logs) const {
  if (!removing_) runs_.AddLogs(logs);
}

}  // namespace jettison::cri
