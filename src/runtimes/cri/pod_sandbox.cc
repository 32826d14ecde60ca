#include "runtimes/cri/pod_sandbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/files/paths.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_plan.h"
#include "runtimes/cri/containers/sandbox_config.h"

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

bool IsNetworkReady(const api::StatusResponse& status) {
  const auto& conditions = status.status().conditions();
  const auto it = std::find_if(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.type() == "NetworkReady";
  });
  return it != conditions.end() && it->status();
}

}  // namespace

PodSandbox::PodSandbox(RuntimeContext& context, const PodPlan& plan, const std::string& group,
                       Made made)
    : context_(context), plan_(plan), group_(group), made_(std::move(made)) {}

void PodSandbox::Make(std::uint32_t first_attempt) {
  state_ = State::kMaking;
  sandbox_.attempt = first_attempt;
  next_ = {.id = "", .attempt = first_attempt, .host_network = pod_.host_network};
  if (auto ok = CheckContainers(context_.paths, pod_); !ok) return OnMade(Fail(ok.error()));
  making_ = std::make_unique<Lifetime>();
  foundation_ = std::make_unique<PodFoundation>(context_, plan_, group_);
  foundation_->Make([this](const Result<void>& made) {
    if (!made) return OnMade(Fail(made.error()));
    StartSlice();
  });
}

// If there is no slice, the runtime has systemd make one without limits.
void PodSandbox::StartSlice() {
  if (context_.slices == nullptr) return AskStatus();
  context_.slices->Start(kernel::UnitName(group_), plan_.limits,
                         making_->Guard([this](const Result<void>& started) {
                           context_.LogFailure("pod " + FullName(pod_), started);
                           AskStatus();
                         }));
}

void PodSandbox::AskStatus() {
  if (pod_.host_network) return Clear();
  context_.calls.Make(kStatus, api::StatusRequest(), context_.options.request_timeout,
                      making_->Guard([this](const auto& answer) { OnStatus(answer); }));
}

void PodSandbox::OnStatus(const Result<api::StatusResponse>& answer) {
  if (!answer) {
    return OnMade(Fail(answer.error().In("ask the container runtime for its status")));
  }
  next_.host_network = !IsNetworkReady(*answer);
  Clear();
}

void PodSandbox::Clear() {
  clearance_ = std::make_unique<SandboxClearance>(
      context_, pod_.uid, [this](const auto& next_attempt) { OnCleared(next_attempt); });
  clearance_->Start();
}

void PodSandbox::OnCleared(const Result<std::uint32_t>& next_attempt) {
  if (!next_attempt) return OnMade(Fail(next_attempt.error()));
  next_.attempt = std::max(next_.attempt, *next_attempt);
  Run();
}

// Setting up a network may take long. (kubelet: RunPodSandbox gets twice the timeout)
void PodSandbox::Run() {
  api::RunPodSandboxRequest request;
  *request.mutable_config() =
      SandboxConfigOf({.pod = pod_,
                       .attempt = next_.attempt,
                       .host_network = next_.host_network,
                       .cgroup_parent = CgroupParentOf(context_, group_),
                       .log_directory = context_.paths.PodLogs(pod_),
                       .root = context_.options.root,
                       .written_pod = context_.options.written_pods->Write(pod_),
                       .seen = context_.clock.Wall()});
  context_.calls.Make(kRunPodSandbox, request, context_.options.request_timeout * 2,
                      making_->Guard([this](const auto& answer) { OnRun(answer); }));
}

void PodSandbox::OnRun(const Result<api::RunPodSandboxResponse>& answer) {
  if (answer && !answer->pod_sandbox_id().empty()) {
    next_.id = answer->pod_sandbox_id();
    return OnMade(next_);
  }
  context_.WantRelist();  // what is left of it is found and removed
  OnMade(Fail(answer ? Error{ErrorCode::kInternal,
                             "the container runtime created a sandbox and returned no ID"}
                     : answer.error().In("make the sandbox")));
}

void PodSandbox::OnMade(const Result<Sandbox>& made) {
  if (made) {
    sandbox_ = *made;
    state_ = State::kReady;
    return made_({});
  }
  sandbox_.attempt = next_.attempt;
  state_ = State::kAbsent;
  made_(Fail(made.error()));
}

void PodSandbox::GiveUp() {
  if (!is_making()) return;
  making_.reset();
  foundation_.reset();
  clearance_.reset();
  OnMade(Fail(ErrorCode::kUnavailable, "the pod was ended while its sandbox was being made"));
}

void PodSandbox::Adopt(Sandbox sandbox, bool ready) {
  sandbox_ = std::move(sandbox);
  state_ = ready ? State::kReady : State::kAbsent;
  foundation_ = std::make_unique<PodFoundation>(context_, plan_, group_);
  foundation_->MakeAgain();
}

}  // namespace jettison::cri
