#include "runtimes/cri/containers/container_removal.h"

#include <csignal>
#include <memory>
#include <utility>

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
      ContainerdCalls* const containerd = self->calls_.containerd();
      if (removed || containerd == nullptr) return self->done_(std::move(removed));
      self->first_error_ = std::move(removed.error());
      self->AskForTask(*containerd);
    });
  }

 private:
  void Remove(std::function<void(Result<void>)> then) {
    api::RemoveContainerRequest request;
    request.set_container_id(id_);
    calls_.RemoveContainer(request, deadline_, [then = std::move(then)](const auto& answer) {
      if (answer || answer.error().code == ErrorCode::kNotFound) {
        return then({});
      }
      then(Fail(answer.error()));
    });
  }
  void AskForTask(ContainerdCalls& containerd) {
    tasks_api::GetRequest request;
    request.set_container_id(id_);
    containerd.GetTaskIn(kNamespaceOfCri, request, deadline_,
                         [self = shared_from_this(), &containerd](const auto& task) {
                           if (!task || !IsLeftBehind(task->process().status())) {
                             return self->done_(Fail(self->first_error_));
                           }
                           self->KillTask(containerd);
                         });
  }
  [[nodiscard]] static bool IsLeftBehind(task_api::Status status) {
    return status == task_api::CREATED || status == task_api::STOPPED;
  }
  // A container that has ended meanwhile cannot be killed, but it can be deleted.
  void KillTask(ContainerdCalls& containerd) {
    tasks_api::KillRequest request;
    request.set_container_id(id_);
    request.set_signal(SIGKILL);
    request.set_all(true);
    containerd.KillTaskIn(
        kNamespaceOfCri, request, deadline_,
        [self = shared_from_this(), &containerd](const auto&) { self->DeleteTask(containerd); });
  }
  void DeleteTask(ContainerdCalls& containerd) {
    tasks_api::DeleteTaskRequest request;
    request.set_container_id(id_);
    containerd.DeleteTaskIn(
        kNamespaceOfCri, request, deadline_, [self = shared_from_this()](const auto& deleted) {
          if (!deleted && deleted.error().code != ErrorCode::kNotFound) {
            return self->done_(Fail(deleted.error().In("take away what is left of its start")));
          }
          self->Remove(self->done_);
        });
  }

  Calls& calls_;
  const std::string id_;
  const Duration deadline_;
  const std::function<void(Result<void>)> done_;
  Error first_error_;
};

}  // namespace

void RemoveContainerWithTask(Calls& calls, const std::string& id, Duration deadline,
                             std::function<void(Result<void>)> done) {
  std::make_shared<Removal>(calls, id, deadline, std::move(done))->Start();
}

}  // namespace jettison::cri
