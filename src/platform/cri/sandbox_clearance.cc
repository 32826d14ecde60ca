#include "platform/cri/sandbox_clearance.h"

#include <algorithm>
#include <utility>

#include "platform/cri/labels.h"

namespace jettison::cri {
namespace {

// Whether a call about something left nothing of it: done, or it was gone.
template <typename T>
bool IsOver(const Result<T>& answer) {
  return answer || answer.error().code == ErrorCode::kNotFound;
}

}  // namespace

bool IsOurs(const Surroundings& surroundings, const api::PodSandbox& sandbox) {
  const auto& annotations = sandbox.annotations();
  const auto root = annotations.find(std::string(kRootAnnotation));
  return root != annotations.end() && root->second == surroundings.options.root &&
         annotations.contains(std::string(kPodAnnotation)) && !sandbox.id().empty();
}

SandboxClearance::SandboxClearance(Surroundings& surroundings, std::string uid, Done done)
    : surroundings_(surroundings), uid_(std::move(uid)), done_(std::move(done)) {}

void SandboxClearance::Start() {
  api::ListPodSandboxRequest request;
  (*request.mutable_filter()->mutable_label_selector())[std::string(kPodUidLabel)] = uid_;
  surroundings_.calls.ListPodSandbox(
      request, surroundings_.options.request_timeout,
      lifetime_.Guard([this](const auto& answer) { OnList(answer); }));
}

void SandboxClearance::StartWith(std::string sandbox_id) {
  ids_.push_back(std::move(sandbox_id));
  Next();
}

void SandboxClearance::OnList(const Result<api::ListPodSandboxResponse>& answer) {
  if (!answer) return done_(Fail(answer.error().In("list the sandboxes of the pod")));
  for (const api::PodSandbox& sandbox : answer->items()) {
    // A runtime may not know filters.
    if (sandbox.metadata().uid() != uid_ || !IsOurs(surroundings_, sandbox)) continue;
    ids_.push_back(sandbox.id());
    next_attempt_ = std::max(next_attempt_, sandbox.metadata().attempt() + 1);
  }
  Next();
}

void SandboxClearance::Next() {
  if (ids_.empty()) return done_(next_attempt_);
  api::StopPodSandboxRequest request;
  request.set_pod_sandbox_id(ids_.front());
  surroundings_.calls.StopPodSandbox(
      request, surroundings_.options.request_timeout,
      lifetime_.Guard([this](const Result<api::StopPodSandboxResponse>& answer) {
        if (!IsOver(answer)) return done_(Fail(answer.error().In("stop the sandbox")));
        Remove();
      }));
}

void SandboxClearance::Remove() {
  api::RemovePodSandboxRequest request;
  request.set_pod_sandbox_id(ids_.front());
  surroundings_.calls.RemovePodSandbox(
      request, surroundings_.options.request_timeout,
      lifetime_.Guard([this](const Result<api::RemovePodSandboxResponse>& answer) {
        if (!IsOver(answer)) return done_(Fail(answer.error().In("remove the sandbox")));
        ids_.pop_front();
        Next();
      }));
}

}  // namespace jettison::cri
