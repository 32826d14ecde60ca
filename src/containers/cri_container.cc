#include "containers/cri_container.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "rpc/verbose_info.h"

namespace jettison::cri {
namespace {

constexpr const char* kOomKilled = "OOMKilled";

}  // namespace

bool IsOfRoot(const std::string& root, const api::PodSandbox& sandbox) {
  const auto its = sandbox.annotations().find(std::string(kRootAnnotation));
  return its != sandbox.annotations().end() && its->second == root;
}

std::int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(std::max(duration, Duration::zero())).count();
}

void CriContainer::AskHowItStands(Duration deadline, StandingAnswer answer) {
  api::ContainerStatusRequest request;
  request.set_container_id(id_);
  calls_.Make(kContainerStatus, request, deadline,
              [answer = std::move(answer)](const Result<api::ContainerStatusResponse>& status) {
                if (!status) return answer(Fail(status.error()));
                answer(StandingOf(status->status()));
              });
}

void CriContainer::TellToStop(Duration grace, Duration deadline, Done done) {
  api::StopContainerRequest request;
  request.set_container_id(id_);
  request.set_timeout(WholeSeconds(grace));
  calls_.Make(kStopContainer, request, deadline,
              [done = std::move(done)](const Result<api::StopContainerResponse>& answer) {
                done(answer ? Result<void>() : Fail(answer.error()));
              });
}

std::optional<pid_t> PidOf(const api::ContainerStatusResponse& answer) {
  const auto info = answer.info().find("info");
  return info == answer.info().end() ? std::nullopt : PidIn(info->second);
}

ContainerStanding StandingOf(const api::ContainerStatus& status) {
  switch (status.state()) {
    case api::CONTAINER_EXITED:
      return {.state = ContainerStanding::State::kEnded,
              .end = {.exit_code = status.exit_code(),
                      .oom_killed = status.reason() == kOomKilled,
                      .finished_at = status.finished_at()}};
    case api::CONTAINER_CREATED:
    case api::CONTAINER_RUNNING: return {.state = ContainerStanding::State::kLives};
    default: return {.state = ContainerStanding::State::kUnknown};
  }
}

}  // namespace jettison::cri
