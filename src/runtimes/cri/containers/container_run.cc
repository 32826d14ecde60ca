#include "runtimes/cri/containers/container_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "containers/cri_container.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;

// A start that was killed is given up if the runtime does not answer for this long.
constexpr Duration kStartPatience = seconds(1);

std::int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<seconds>(std::max(duration, Duration::zero())).count();
}

}  // namespace

ContainerRun::ContainerRun(RuntimeContext& context, const StartOrder& order)
    : context_(context),
      order_(order),
      running_(context, {.pod = order_.pod,
                         .container = order_.container,
                         .pod_group = order_.pod_group,
                         .attempt = order_.attempt}) {}

const std::string& ContainerRun::id() const {
  return start_ && phase_ == Phase::kStarting ? start_->id() : running_.id();
}

std::string ContainerRun::left_by_failed_start() const {
  return start_ && phase_ == Phase::kFailed ? start_->id() : std::string();
}

std::optional<StartedContainer> ContainerRun::KnownOrOrdered() const {
  if (phase_ != Phase::kStarting) return Known();
  return start_ == nullptr || start_->id().empty() ? std::nullopt
                                                   : std::optional(start_->Ordered());
}

void ContainerRun::Start(const Sandbox& sandbox) {
  if (phase_ != Phase::kStarting) return;
  running_.Expect();
  start_ = std::make_unique<ContainerStart>(
      context_, order_, [this](ContainerStart::Outcome started) { OnStart(std::move(started)); });
  start_->Start(sandbox);
}

void ContainerRun::OnStart(ContainerStart::Outcome started) {
  if (phase_ != Phase::kStarting) return;  // it was given up meanwhile
  if (!started) return EndStart(started.error());
  on_patience_.Stop();
  Begin(*started);
  context_.Emit(ContainerStarted{.pod_uid = order_.pod.uid,
                                 .container = order_.container.name,
                                 .attempt = order_.attempt,
                                 .at = started->started});
  if (running_.LookForEnd()) return;
  if (killed_) Kill();
  if (const auto grace = std::exchange(stop_pending_, std::nullopt)) Stop(*grace);
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

void ContainerRun::EndStart(StartError why) {
  phase_ = Phase::kFailed;
  on_patience_.Stop();
  context_.Emit(ContainerStartFailed{.pod_uid = order_.pod.uid,
                                     .container = order_.container.name,
                                     .attempt = order_.attempt,
                                     .failure = why.failure,
                                     .error = std::move(why.error)});
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

void ContainerRun::KillStart() {
  if (!std::exchange(killed_, true)) {
    on_patience_ = context_.readiness.After(kStartPatience, [this] {
      on_patience_.Stop();
      if (start_) start_->Abandon();
      EndStart({StartFailure::kCreate,
                {ErrorCode::kUnavailable, "it was killed while it was being started"}});
    });
  }
  if (start_) start_->Abandon();
  running_.KillByName(id());
}

}  // namespace jettison::cri
