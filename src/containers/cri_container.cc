#include "containers/anchor.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jettison::cri {
namespace {

template <typename... Ways>
struct ByKind : Ways... {
  using Ways::operator()...;
};
template <typename... Ways>
ByKind(Ways...) -> ByKind<Ways...>;

std::int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(std::max(duration, Duration::zero())).count();
}

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

void AskCri(Calls& calls, const CriContainer& container, Duration deadline,
            Answer<ContainerStanding> answer) {
  api::ContainerStatusRequest request;
  request.set_container_id(container.id);
  calls.ContainerStatus(
      request, deadline,
      [answer = std::move(answer)](const Result<api::ContainerStatusResponse>& status) {
        if (!status) return answer(Fail(status.error()));
        answer(StandingOf(status->status()));
      });
}

void AskContainerd(Calls& calls, const TaskKey& task, Duration deadline,
                   Answer<ContainerStanding> answer) {
  ContainerdCalls* const containerd = calls.containerd();
  if (containerd == nullptr) {
    return answer(Fail(ErrorCode::kNotFound, "the runtime has no API of containerd's"));
  }
  tasks_api::GetRequest request;
  request.set_container_id(task.id);
  containerd->GetTaskIn(task.of, request, deadline,
                        [answer = std::move(answer)](const Result<tasks_api::GetResponse>& told) {
                          if (!told) return answer(Fail(told.error()));
                          answer(StandingOfTask(told->process()));
                        });
}

}  // namespace

void AskHowItStands(Calls& calls, const Anchor& anchor, Duration deadline,
                    Answer<ContainerStanding> answer) {
  std::visit(
      ByKind{[&](const CriContainer& container) {
               AskCri(calls, container, deadline, std::move(answer));
             },
             [&](const TaskKey& task) { AskContainerd(calls, task, deadline, std::move(answer)); }},
      anchor);
}

// containerd hears of the end of a task by itself.
void TellToStop(Calls& calls, const Anchor& anchor, Duration grace, Duration deadline,
                std::function<void(const Result<void>&)> done) {
  const auto* const container = std::get_if<CriContainer>(&anchor);
  if (container == nullptr) return;
  api::StopContainerRequest request;
  request.set_container_id(container->id);
  request.set_timeout(WholeSeconds(grace));
  calls.StopContainer(request, deadline,
                      [done = std::move(done)](const Result<api::StopContainerResponse>& answer) {
                        done(answer ? Result<void>() : Fail(answer.error()));
                      });
}

bool TakeDown(Calls& calls, const Base& base, Duration deadline,
              std::function<void(const Result<void>&)> done) {
  const auto* const sandbox = std::get_if<CriSandbox>(&base);
  if (sandbox == nullptr) return false;
  api::StopPodSandboxRequest request;
  request.set_pod_sandbox_id(sandbox->id);
  calls.StopPodSandbox(request, deadline,
                       [done = std::move(done)](const Result<api::StopPodSandboxResponse>& answer) {
                         done(answer ? Result<void>() : Fail(answer.error()));
                       });
  return true;
}

}  // namespace jettison::cri
