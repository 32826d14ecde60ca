#include "runtimes/cri/containers/sandbox_clearance.h"

#include <algorithm>
#include <utility>

#include "containers/labels.h"
#include "runtimes/cri/containers/container_removal.h"

namespace jettison::cri {
namespace {

// Whether nothing is left after the call: it succeeded, or the object did not exist.
template <typename T>
bool IsOver(const Result<T>& answer) {
  return answer || answer.error().code == ErrorCode::kNotFound;
}

}  // namespace

bool IsOurs(const RuntimeContext& context, const api::PodSandbox& sandbox) {
  const auto& annotations = sandbox.annotations();
  const auto root = annotations.find(std::string(kRootAnnotation));
  return root != annotations.end() && root->second == context.options.root && !sandbox.id().empty();
}

SandboxClearance::SandboxClearance(RuntimeContext& context, std::string uid, Done done)
    : context_(context), uid_(std::move(uid)), done_(std::move(done)) {}

void SandboxClearance::Start() {
  api::ListPodSandboxRequest request;
  (*request.mutable_filter()->mutable_label_selector())[std::string(kPodUidLabel)] = uid_;
  context_.calls.ListPodSandbox(request, context_.options.request_timeout,
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
    if (sandbox.metadata().uid() != uid_ || !IsOurs(context_, sandbox)) continue;
    ids_.push_back(sandbox.id());
    next_attempt_ = std::max(next_attempt_, sandbox.metadata().attempt() + 1);
  }
  Next();
}

void SandboxClearance::Next() {
  if (ids_.empty()) return done_(next_attempt_);
  api::StopPodSandboxRequest request;
  request.set_pod_sandbox_id(ids_.front());
  context_.calls.StopPodSandbox(
      request, context_.options.request_timeout,
      lifetime_.Guard([this](const Result<api::StopPodSandboxResponse>& answer) {
        if (!IsOver(answer)) return done_(Fail(answer.error().In("stop the sandbox")));
        Remove();
      }));
}

void SandboxClearance::Remove() {
  api::RemovePodSandboxRequest request;
  request.set_pod_sandbox_id(ids_.front());
  context_.calls.RemovePodSandbox(
      request, context_.options.request_timeout,
      lifetime_.Guard([this](const Result<api::RemovePodSandboxResponse>& answer) {
        if (!IsOver(answer)) {
          const Error problem = answer.error().In("remove the sandbox");
          return cleared_containers_ ? done_(Fail(problem)) : ListContainers(problem);
        }
        ids_.pop_front();
        cleared_containers_ = false;
        Next();
      }));
}

void SandboxClearance::ListContainers(const Error& problem) {
  cleared_containers_ = true;
  api::ListContainersRequest request;
  request.mutable_filter()->set_pod_sandbox_id(ids_.front());
  context_.calls.ListContainers(
      request, context_.options.request_timeout,
      lifetime_.Guard([this, problem](const Result<api::ListContainersResponse>& answer) {
        if (!answer) return done_(Fail(problem));
        for (const api::Container& container : answer->containers()) {
          // A runtime may not know filters.
          if (container.pod_sandbox_id() == ids_.front()) containers_.push_back(container.id());
        }
        RemoveNextContainer();
      }));
}

void SandboxClearance::RemoveNextContainer() {
  if (containers_.empty()) return Remove();
  RemoveContainerWithTask(context_.calls, containers_.front(), context_.options.request_timeout,
                          lifetime_.Guard([this](const Result<void>& removed) {
                            if (!removed) return done_(Fail(removed.error()));
                            containers_.pop_front();
                            RemoveNextContainer();
                          }));
}

}  // namespace jettison::cri
