#include "platform/cri/containerd_task.h"

#include <utility>

namespace jettison::cri {
namespace {

api::ContainerState StateOf(task_api::Status status) {
  switch (status) {
    case task_api::CREATED: return api::CONTAINER_CREATED;
    case task_api::RUNNING:
    case task_api::PAUSED:
    case task_api::PAUSING: return api::CONTAINER_RUNNING;
    case task_api::STOPPED: return api::CONTAINER_EXITED;
    default: return api::CONTAINER_UNKNOWN;
  }
}

}  // namespace

void AskTaskStatus(Calls& calls, const TaskKey& key, Duration deadline,
                   Answer<api::ContainerStatusResponse> answer) {
  ContainerdCalls* const containerd = calls.containerd();
  if (containerd == nullptr) {
    return answer(Fail(ErrorCode::kNotFound, "the runtime has no API of containerd's"));
  }
  tasks_api::GetRequest request;
  request.set_container_id(key.id);
  containerd->GetTaskIn(
      key.of, request, deadline,
      [id = key.id, answer = std::move(answer)](const Result<tasks_api::GetResponse>& task) {
        if (!task) return answer(Fail(task.error()));
        api::ContainerStatusResponse response;
        api::ContainerStatus& status = *response.mutable_status();
        status.set_id(id);
        status.set_state(StateOf(task->process().status()));
        status.set_exit_code(static_cast<std::int32_t>(task->process().exit_status()));
        answer(std::move(response));
      });
}

}  // namespace jettison::cri
