#include "containers/cri_container.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace jettison::cri {
namespace {

constexpr const char* kOomKilled = "OOMKilled";

std::int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(std::max(duration, Duration::zero())).count();
}

}  // namespace

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

ContainerExit ExitOf(const api::ContainerStatus& status, const KernelWord& seen,
                     const Clock& clock) {
  return ExitOf(ReportedEnd{.exit_code = status.exit_code(),
                            .oom_killed = status.reason() == kOomKilled,
                            .finished_at = status.finished_at()},
                seen, clock);
}

}  // namespace jettison::cri
