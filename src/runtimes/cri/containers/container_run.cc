#include "runtimes/cri/containers/container_run.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "containers/cri_container.h"

namespace jettison::cri {

ContainerRun::ContainerRun(RuntimeContext& context, const StartOrder& order)
    : context_(context),
      order_(order),
      policy_(order.container.image_pull_policy.value_or(DefaultPullPolicy(order.container.image))),
      running_(context, {.pod = order_.pod,
                         .container = order_.container,
                         .pod_group = order_.pod_group,
                         .attempt = order_.attempt}) {}

std::optional<StartedContainer> ContainerRun::KnownOrOrdered() const {
  if (phase_ != Phase::kStarting) return Known();
  return id_.empty() ? std::nullopt : std::optional(Ordered());
}

void ContainerRun::Begin(const StartedContainer& container) {
  phase_ = Phase::kStarted;
  running_.Begin(container, std::make_shared<CriContainer>(context_.calls, container.id));
}

void ContainerRun::Adopt(const StartedContainer& container) {
  running_.Expect();
  Begin(container);
  (void)running_.LookForEnd();
}

void ContainerRun::Stop(Duration grace) {
  if (phase_ == Phase::kStarting) {
    stop_pending_ = grace;
    return;
  }
  if (!running()) return;
  stop_grace_ = grace;
  if (order_.container.pre_stop && !hook_done_ && grace > Duration::zero()) {
    RunHook(grace);
  } else {
    running_.Stop(grace);
  }
}

void ContainerRun::RunHook(Duration grace) {
  on_patience_ = context_.readiness.After(grace, [this] {
    on_patience_.Stop();
    if (!running()) return;
    context_.Log(
        fmt::format("preStop of {} did not end within the grace period", running_.Described()));
    OnHookDone();
  });
  if (std::exchange(hook_running_, true)) return;
  api::ExecSyncRequest request;
  request.set_container_id(running_.id());
  for (const std::string& word : order_.container.pre_stop->command) request.add_cmd(word);
  request.set_timeout(WholeSeconds(grace));
  context_.calls.Make(kExecSync, request, grace,
                      lifetime_.Guard([this](const Result<api::ExecSyncResponse>& answer) {
                        if (hook_done_ || !running()) return;
                        context_.LogFailure("preStop of " + running_.Described(), answer);
                        if (answer && answer->exit_code() != 0) {
                          context_.Log(fmt::format("preStop of {} failed with exit status {}",
                                                   running_.Described(), answer->exit_code()));
                        }
                        OnHookDone();
                      }));
}

void ContainerRun::OnHookDone() {
  on_patience_.Stop();
  if (std::exchange(hook_done_, true)) return;
  running_.Stop(stop_grace_);
}

void ContainerRun::Kill() {
  switch (phase_) {
    case Phase::kStarting: return KillStart();
    case Phase::kStarted: return running_.Kill();
    case Phase::kFailed: return;
  }
}

}  // namespace jettison::cri
