#include "runtimes/cri/ready_probe.h"

#include <fmt/format.h>

#include <chrono>

#include "rpc/await.h"

namespace jettison::cri {
namespace {

// A probe without an answer for this long has failed.
constexpr Duration kProbeDeadline = std::chrono::seconds(5);

// What keeps the runtime from working, according to its status.
Result<void> CheckStatus(const api::StatusResponse& status) {
  for (const api::RuntimeCondition& condition : status.status().conditions()) {
    if (condition.type() != "RuntimeReady" || condition.status()) continue;
    return Fail(ErrorCode::kUnavailable, fmt::format("the container runtime is not ready: {}: {}",
                                                     condition.reason(), condition.message()));
  }
  return {};
}

}  // namespace

Result<void> ReadyProbe::Ask(Duration wait) {
  if (!probe_) Start();
  const std::shared_ptr<Probe> probe = probe_;
  if (!AwaitAnswers(context_.calls, wait, [&] { return probe->outcome.has_value(); })) {
    return Fail(ErrorCode::kUnavailable, "the container runtime has not answered yet");
  }
  probe_.reset();
  return *probe->outcome;
}

void ReadyProbe::Start() {
  probe_ = std::make_shared<Probe>();
  context_.calls.Version(kProbeDeadline, [probe = probe_, calls = &context_.calls](
                                             const Result<api::VersionResponse>& version) {
    if (!version) {
      probe->outcome = Fail(version.error());
      return;
    }
    calls->Status(api::StatusRequest(), kProbeDeadline,
                  [probe](const Result<api::StatusResponse>& status) {
                    probe->outcome = status ? CheckStatus(*status) : Fail(status.error());
                  });
  });
}

}  // namespace jettison::cri
