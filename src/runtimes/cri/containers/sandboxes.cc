#include "runtimes/cri/containers/sandboxes.h"

#include <algorithm>
#include <csignal>
#include <memory>
#include <utility>

#include "containers/cri_container.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "runtimes/cri/containers/sandbox_config.h"

namespace jettison::cri {
namespace {

constexpr const char* kNamespaceOfCri = "k8s.io";

// One removal, which its pending calls keep alive.
class Removal : public std::enable_shared_from_this<Removal> {
 public:
  Removal(Calls& calls, std::string id, Duration deadline, std::function<void(Result<void>)> done)
      : calls_(calls), id_(std::move(id)), deadline_(deadline), done_(std::move(done)) {}

  void Start() {
    Remove([self = shared_from_this()](Result<void> removed) {
      if (removed) return self->done_({});
      self->first_error_ = std::move(removed.error());
      self->AskForTask();
    });
  }

 private:
  void Remove(std::function<void(Result<void>)> then) {
    api::RemoveContainerRequest request;
    request.set_container_id(id_);
    calls_.Make(kRemoveContainer, request, deadline_, [then = std::move(then)](const auto& answer) {
      if (answer || answer.error().code == ErrorCode::kNotFound) {
        return then({});
      }
      then(Fail(answer.error()));
    });
  }
  void AskForTask() {
    tasks_api::GetRequest request;
    request.set_container_id(id_);
    calls_.Make(
        kGetTaskIn, request, deadline_,
        [self = shared_from_this()](const auto& task) {
          if (!task || !IsLeftBehind(task->process().status())) {
            return self->done_(Fail(self->first_error_));
          }
          self->KillTask();
        },
        kNamespaceOfCri);
  }
  [[nodiscard]] static bool IsLeftBehind(task_api::Status status) {
    return status == task_api::CREATED || status == task_api::STOPPED;
  }
  // A container that has ended meanwhile cannot be killed, but it can be deleted.
  void KillTask() {
    tasks_api::KillRequest request;
    request.set_container_id(id_);
    request.set_signal(SIGKILL);
    request.set_all(true);
    calls_.Make(
        kKillTaskIn, request, deadline_,
        [self = shared_from_this()](const auto&) { self->DeleteTask(); }, kNamespaceOfCri);
  }
  void DeleteTask() {
    tasks_api::DeleteTaskRequest request;
    request.set_container_id(id_);
    calls_.Make(
        kDeleteTaskIn, request, deadline_,
        [self = shared_from_this()](const auto& deleted) {
          if (!deleted && deleted.error().code != ErrorCode::kNotFound) {
            return self->done_(Fail(deleted.error().In("take away what is left of its start")));
          }
          self->Remove(self->done_);
        },
        kNamespaceOfCri);
  }

  Calls& calls_;
  const std::string id_;
  const Duration deadline_;
  const std::function<void(Result<void>)> done_;
  Error first_error_;
};

// Whether nothing is left after the call: it succeeded, or the object did not exist.
template <typename T>
bool IsOver(const Result<T>& answer) {
  return answer || answer.error().code == ErrorCode::kNotFound;
}

}  // namespace

std::string CgroupParentOf(const RuntimeContext& context, const std::string& pod_group) {
  return kernel::CgroupParent(context.options.cgroup_prefix, pod_group,
                              context.options.cgroup_driver);
}

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

void RemoveContainerWithTask(Calls& calls, const std::string& id, Duration deadline,
                             std::function<void(Result<void>)> done) {
  std::make_shared<Removal>(calls, id, deadline, std::move(done))->Start();
}

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
