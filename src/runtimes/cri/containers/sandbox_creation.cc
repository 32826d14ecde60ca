#include "runtimes/cri/containers/sandbox_creation.h"

#include <algorithm>
#include <utility>

#include "kernel/groups/layout/cgroup_layout.h"
#include "runtimes/cri/values/sandbox_config.h"

namespace jettison::cri {
namespace {

constexpr int kTries = 2;

// Setting up a network may take long. (kubelet: RunPodSandbox gets twice the timeout)
Duration DeadlineOf(const RuntimeContext& context) {
  return context.options.request_timeout * 2;
}

bool IsNetworkReady(const api::StatusResponse& status) {
  const auto& conditions = status.status().conditions();
  const auto it = std::find_if(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.type() == "NetworkReady";
  });
  return it != conditions.end() && it->status();
}

std::string CgroupParentOf(const RuntimeContext& context, const std::string& pod_group) {
  return kernel::CgroupParent(context.options.cgroup_prefix, pod_group,
                              context.options.cgroup_driver);
}

}  // namespace

api::PodSandboxConfig DescriptionOf(const RuntimeContext& context, const Pod& pod,
                                    const std::string& pod_group, const Sandbox& sandbox) {
  return SandboxConfigOf({.pod = pod,
                          .attempt = sandbox.attempt,
                          .host_network = sandbox.host_network,
                          .cgroup_parent = CgroupParentOf(context, pod_group),
                          .log_directory = context.paths.PodLogs(pod),
                          .root = context.options.root,
                          .written_pod = "",
                          .seen = context.clock.Wall()});
}

SandboxCreation::SandboxCreation(RuntimeContext& context, const PodPlan& plan,
                                 std::string pod_group, std::uint32_t first_attempt, Done done)
    : context_(context),
      pod_(*plan.pod),
      limits_(plan.limits),
      pod_group_(std::move(pod_group)),
      sandbox_{.id = "", .attempt = first_attempt, .host_network = plan.pod->host_network},
      done_(std::move(done)) {}

// If there is no slice, the runtime has systemd make one without limits.
void SandboxCreation::Start() {
  Slices* const slices = context_.slices;
  if (slices == nullptr) return AskStatus();
  slices->Start(kernel::UnitName(pod_group_), limits_,
                lifetime_.Guard([this](const Result<void>& started) {
                  context_.LogFailure("pod " + FullName(pod_), started);
                  AskStatus();
                }));
}

void SandboxCreation::AskStatus() {
  if (pod_.host_network) return Clear();
  context_.calls.Status(api::StatusRequest(), context_.options.request_timeout,
                        lifetime_.Guard([this](const auto& answer) { OnStatus(answer); }));
}

void SandboxCreation::OnStatus(const Result<api::StatusResponse>& answer) {
  if (!answer) return done_(Fail(answer.error().In("ask the container runtime for its status")));
  sandbox_.host_network = !IsNetworkReady(*answer);
  Clear();
}

void SandboxCreation::Clear() {
  clearance_ = std::make_unique<SandboxClearance>(
      context_, pod_.uid, [this](const auto& next_attempt) { OnCleared(next_attempt); });
  clearance_->Start();
}

void SandboxCreation::OnCleared(const Result<std::uint32_t>& next_attempt) {
  if (failures_ == 0 && !next_attempt) return done_(Fail(next_attempt.error()));
  if (!next_attempt) {
    // Only the failure matters; what is left is found and removed after the next listing.
    context_.LogFailure("pod " + FullName(pod_), next_attempt);
    context_.WantRelist();
    return done_(Fail(failure_));
  }
  if (failures_ == kTries) return done_(Fail(failure_));
  sandbox_.attempt = std::max(sandbox_.attempt, *next_attempt);
  Run();
}

void SandboxCreation::Run() {
  if (context_.draining) return;
  api::RunPodSandboxRequest request;
  *request.mutable_config() =
      SandboxConfigOf({.pod = pod_,
                       .attempt = sandbox_.attempt,
                       .host_network = sandbox_.host_network,
                       .cgroup_parent = CgroupParentOf(context_, pod_group_),
                       .log_directory = context_.paths.PodLogs(pod_),
                       .root = context_.options.root,
                       .written_pod = context_.options.written_pods->Write(pod_),
                       .seen = context_.clock.Wall()});
  context_.calls.RunPodSandbox(
      request, DeadlineOf(context_),
      lifetime_.Guard([this, making = context_.making](const auto& answer) { OnRun(answer); }));
}

void SandboxCreation::OnRun(const Result<api::RunPodSandboxResponse>& answer) {
  if (answer && !answer->pod_sandbox_id().empty()) {
    sandbox_.id = answer->pod_sandbox_id();
    return done_(sandbox_);
  }
  ++failures_;
  failure_ = answer ? Error{ErrorCode::kInternal,
                            "the container runtime created a sandbox and returned no ID"}
                    : answer.error().In("make the sandbox");
  ++sandbox_.attempt;
  Clear();
}

}  // namespace jettison::cri
