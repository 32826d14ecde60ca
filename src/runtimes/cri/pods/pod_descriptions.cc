#include "runtimes/cri/pods/pod_descriptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "containers/labels.h"
#include "runtimes/cri/containers/sandbox_clearance.h"

namespace jettison::cri {
namespace {

const std::string* Annotation(const api::PodSandbox& sandbox, std::string_view name) {
  const auto it = sandbox.annotations().find(std::string(name));
  return it == sandbox.annotations().end() ? nullptr : &it->second;
}

bool IsBetter(const api::PodSandbox& one, const api::PodSandbox& other) {
  const bool ready = one.state() == api::SANDBOX_READY;
  if (ready != (other.state() == api::SANDBOX_READY)) return ready;
  return one.metadata().attempt() > other.metadata().attempt();
}

}  // namespace

std::map<std::string, Sandboxes> OwnSandboxes(const RuntimeContext& context,
                                              const Listing& listing) {
  std::map<std::string, Sandboxes> pods;
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (IsOurs(context, sandbox)) pods[sandbox.metadata().uid()].push_back(&sandbox);
  }
  for (auto& [uid, sandboxes] : pods) {
    std::sort(sandboxes.begin(), sandboxes.end(),
              [](const auto* a, const auto* b) { return IsBetter(*a, *b); });
  }
  return pods;
}

Result<PodPlan> PodDescriptions::Read(const std::string& uid, const Sandboxes& sandboxes) const {
  std::string why;
  for (const api::PodSandbox* sandbox : sandboxes) {
    const std::string* const text = Annotation(*sandbox, kPodAnnotation);
    auto plan = text == nullptr ? Fail(ErrorCode::kInvalidArgument, "it is missing")
                                : records_.Parse(*text, uid);
    if (plan) return plan;
    why += fmt::format("annotation {} of sandbox {}: {}; ", kPodAnnotation, sandbox->id(),
                       plan.error().message);
  }
  auto written = records_.Read(uid);
  if (!written) {
    const bool is_missing = written.error().code == ErrorCode::kNotFound;
    return Fail(is_missing ? ErrorCode::kInvalidArgument : written.error().code,
                why + written.error().message);
  }
  context_.Log(fmt::format("{}the pod is known by {}", why, RecordFile(context_, uid)));
  return std::move(written->plan);
}

bool PodDescriptions::IsInHostNetwork(const api::PodSandbox& sandbox) const {
  if (const std::string* network = Annotation(sandbox, kNetworkAnnotation)) {
    return *network == "host";
  }
  const auto written = records_.Read(sandbox.metadata().uid());
  return written && written->record.sandbox.host_network;
}

}  // namespace jettison::cri
