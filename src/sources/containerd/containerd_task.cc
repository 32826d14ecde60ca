#include "sources/containerd/containerd_task.h"

namespace jettison::cri {
namespace {

ContainerStanding StandingOfTask(const task_api::Process& task) {
  switch (task.status()) {
    case task_api::CREATED:
    case task_api::RUNNING:
    case task_api::PAUSED:
    case task_api::PAUSING: return {.state = ContainerStanding::State::kLives};
    case task_api::STOPPED:
      return {.state = ContainerStanding::State::kEnded,
              .end = {.exit_code = static_cast<int>(task.exit_status())}};
    default: return {.state = ContainerStanding::State::kUnknown};
  }
}

}  // namespace

void ContainerdTask::AskHowItStands(Duration deadline, StandingAnswer answer) {
  ContainerdCalls* const containerd = calls_.containerd();
  if (containerd == nullptr) {
    return answer(Fail(ErrorCode::kNotFound, "the runtime has no API of containerd's"));
  }
  tasks_api::GetRequest request;
  request.set_container_id(key_.id);
  containerd->GetTaskIn(key_.in_namespace, request, deadline,
                        [answer = std::move(answer)](const Result<tasks_api::GetResponse>& told) {
                          if (!told) return answer(Fail(told.error()));
                          answer(StandingOfTask(told->process()));
                        });
}

}  // namespace jettison::cri
