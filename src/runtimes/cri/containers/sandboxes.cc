#include "runtimes/cri/containers/sandboxes.h"

#include <algorithm>
#include <utility>

#include "containers/cri_container.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "runtimes/cri/containers/config.h"

namespace jettison::cri {
namespace {

constexpr const char* kNamespaceOfCri = "k8s.io";

// Whether nothing is left after the call: it succeeded, or the object did not exist.
template <typename T>
bool IsOver(const Result<T>& answer) {
  return answer || answer.error().code == ErrorCode::kNotFound;
}

void RemoveContainer(Calls& calls, const std::string& id, Duration deadline,
                     std::function<void(const Result<void>&)> done) {
  api::RemoveContainerRequest request;
  request.set_container_id(id);
  calls.Make(kRemoveContainer, request, deadline, [done = std::move(done)](const auto& answer) {
    done(IsOver(answer) ? Result<void>() : Fail(answer.error()));
  });
}

}  // namespace

api::PodSandboxConfig DescriptionOf(const RuntimeContext& context, const Pod& pod,
                                    const std::string& pod_group, const Sandbox& sandbox) {
  return SandboxConfigOf(
      {.pod = pod,
       .attempt = sandbox.attempt,
       .host_network = sandbox.host_network,
       .cgroup_parent = kernel::CgroupParent(context.options.cgroup_prefix, pod_group,
                                             context.options.cgroup_driver),
       .log_directory = context.paths.PodLogs(pod),
       .root = context.options.root});
}

void RemoveContainerWithTask(Calls& calls, const std::string& id, Duration deadline,
                             const std::function<void(const Result<void>&)>& done) {
  RemoveContainer(calls, id, deadline, [&calls, id, deadline, done](const Result<void>& removed) {
    if (removed) return done(removed);
    tasks_api::DeleteTaskRequest request;
    request.set_container_id(id);
    calls.Make(
        kDeleteTaskIn, request, deadline,
        [&calls, id, deadline, done, removed](const auto& deleted) {
          if (!deleted) return done(removed);
          RemoveContainer(calls, id, deadline, done);
        },
        kNamespaceOfCri);
  });
}

bool IsOurs(const RuntimeContext& context, const api::PodSandbox& sandbox) {
  return IsOfRoot(context.options.root, sandbox) && !sandbox.id().empty();
}

SandboxClearance::SandboxClearance(RuntimeContext& context, std::string uid, Done done)
    : context_(context), uid_(std::move(uid)), done_(std::move(done)) {}

void SandboxClearance::Start() {
  api::ListPodSandboxRequest request;
  (*request.mutable_filter()->mutable_label_selector())[std::string(kPodUidLabel)] = uid_;
  context_.calls.Make(kListPodSandbox, request, context_.options.request_timeout,
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
    if (sandbox.metadata().uid() != uid_) continue;
    next_attempt_ = std::max(next_attempt_, sandbox.metadata().attempt() + 1);
    if (IsOurs(context_, sandbox)) ids_.push_back(sandbox.id());
  }
  Next();
}

void SandboxClearance::Next() {
  if (ids_.empty()) return done_(next_attempt_);
  api::StopPodSandboxRequest request;
  request.set_pod_sandbox_id(ids_.front());
  context_.calls.Make(kStopPodSandbox, request, context_.options.request_timeout,
                      lifetime_.Guard([this](const Result<api::StopPodSandboxResponse>& answer) {
                        if (!IsOver(answer))
                          return done_(Fail(answer.error().In("stop the sandbox")));
                        Remove();
                      }));
}

void SandboxClearance::Remove() {
  api::RemovePodSandboxRequest request;
  request.set_pod_sandbox_id(ids_.front());
  context_.calls.Make(kRemovePodSandbox, request, context_.options.request_timeout,
                      lifetime_.Guard([this](const Result<api::RemovePodSandboxResponse>& answer) {
                        if (!IsOver(answer)) {
                          const Error problem = answer.error().In("remove the sandbox");
                          return cleared_containers_ ? done_(Fail(problem))
                                                     : ListContainers(problem);
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
  context_.calls.Make(
      kListContainers, request, context_.options.request_timeout,
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
