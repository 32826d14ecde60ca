#include "runtimes/cri/containers/container_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "kernel/groups/cgroup_layout.h"
#include "kernel/groups/fd_reserve.h"
#include "kernel/processes/proc_files.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A start that was killed is given up when the runtime does not answer for this long.
constexpr Duration kStartPatience = seconds(1);
// How long the runtime has to say how a container ended that was killed; that ended in a way that
// the kernel tells; and that ended in a way that only the runtime knows, as the exit code may
// decide whether a pod has succeeded.
constexpr Duration kKilledPatience = milliseconds(300);
constexpr Duration kKnownPatience = seconds(1);
constexpr Duration kUnknownPatience = seconds(10);
constexpr Duration kFirstAsk = milliseconds(5);
constexpr Duration kLastAsk = milliseconds(500);

// Whether a group that the process is in, or one above it, is the container's.
bool IsInGroupOf(std::string_view proc_cgroup, std::string_view id) {
  while (!proc_cgroup.empty()) {
    const std::size_t end = proc_cgroup.find_first_of("/\n");
    if (IsGroupOfContainer(proc_cgroup.substr(0, end), id)) return true;
    proc_cgroup.remove_prefix(end == std::string_view::npos ? proc_cgroup.size() : end + 1);
  }
  return false;
}

std::int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<seconds>(std::max(duration, Duration::zero())).count();
}

}  // namespace

ContainerRun::ContainerRun(Surroundings& surroundings, StartOrder order)
    : surroundings_(surroundings), order_(order) {}

std::string ContainerRun::Described() const {
  return fmt::format("container {} of pod {} (run {})", order_.container.name, FullName(order_.pod),
                     order_.attempt);
}

const std::string& ContainerRun::id() const {
  return start_ && phase_ == Phase::kStarting ? start_->id() : container_.id;
}

std::optional<StartedContainer> ContainerRun::Known() const {
  if (phase_ != Phase::kRunning || !process_) return std::nullopt;
  return container_;
}

std::optional<StartedContainer> ContainerRun::KnownOrOrdered() const {
  if (phase_ != Phase::kStarting) return Known();
  return start_ == nullptr || start_->id().empty() ? std::nullopt
                                                   : std::optional(start_->Ordered());
}

std::string ContainerRun::Path() const {
  return order_.pod_group.empty() ? group_ : pod_host::ContainerGroup(order_.pod_group, group_);
}

void ContainerRun::Start(const Sandbox& sandbox) {
  if (phase_ != Phase::kStarting) return;
  pod_oom_kills_ = PodOomKills();
  start_ = std::make_unique<ContainerStart>(
      surroundings_, order_,
      [this](Result<StartedContainer> started) { OnStart(std::move(started)); });
  start_->Start(sandbox);
}

void ContainerRun::OnStart(Result<StartedContainer> started) {
  if (phase_ != Phase::kStarting) return;  // given up meanwhile
  if (!started) return FailStart(started.error());
  on_patience_.Stop();
  Watch(*started);
  surroundings_.Emit(ContainerStarted{.pod_uid = order_.pod.uid,
                                      .container = order_.container.name,
                                      .attempt = order_.attempt,
                                      .at = container_.started});
  if (HasEnded()) return OnProcessEnded();
  if (killed_) Kill();
  if (const auto grace = std::exchange(stop_pending_, std::nullopt)) Stop(*grace);
}

void ContainerRun::Adopt(const StartedContainer& container) {
  pod_oom_kills_ = PodOomKills();
  Watch(container);
  if (HasEnded()) OnProcessEnded();
}

// Where nobody tells the process, the runtime alone knows whether it runs.
bool ContainerRun::HasEnded() const {
  return container_.ended || (container_.pid && !process_);
}

// The process is taken for the container's only where it is in one of its groups: its number may
// have come again.
void ContainerRun::Watch(const StartedContainer& container) {
  phase_ = Phase::kRunning;
  container_ = container;
  seen_.started = container.started;
  if (!container.pid) return;
  Processes& processes = surroundings_.processes;
  auto process = processes.Open(*container.pid);
  if (!process) return;
  const auto groups = processes.ReadFile(*container.pid, "cgroup");
  if (!groups) return;
  if (container.group.empty()) group_ = GroupBelow(*groups, order_.pod_group);
  if (group_.empty() && !IsInGroupOf(*groups, container.id)) return;
  if (group_.empty()) group_ = container.group;
  const auto mounts = processes.ReadFile(*container.pid, "mountinfo");
  layer_ = mounts ? UpperFolderOf(*mounts) : "";
  process_ = std::move(*process);
  on_end_ = surroundings_.readiness.OnReadable(process_.get(), [this] { OnProcessEnded(); });
}

void ContainerRun::FailStart(Error error) {
  phase_ = Phase::kEnded;
  on_patience_.Stop();
  surroundings_.Emit(ContainerStartFailed{.pod_uid = order_.pod.uid,
                                          .container = order_.container.name,
                                          .attempt = order_.attempt,
                                          .error = std::move(error)});
}

void ContainerRun::Stop(Duration grace) {
  switch (phase_) {
    case Phase::kStarting: stop_pending_ = grace; return;
    case Phase::kRunning:
      stop_grace_ = grace;
      if (order_.container.pre_stop && !hook_done_ && grace > Duration::zero()) {
        RunHook(grace);
      } else {
        SendStopSignal();
      }
      return;
    case Phase::kExiting:
    case Phase::kEnded: return;
  }
}

void ContainerRun::RunHook(Duration grace) {
  on_patience_ = surroundings_.readiness.After(grace, [this] {
    surroundings_.Log(
        fmt::format("preStop of {} did not end within the grace period", Described()));
    OnHookDone();
  });
  if (std::exchange(hook_running_, true)) return;
  api::ExecSyncRequest request;
  request.set_container_id(container_.id);
  for (const std::string& word : order_.container.pre_stop->command) request.add_cmd(word);
  request.set_timeout(WholeSeconds(grace));
  surroundings_.calls.ExecSync(
      request, grace, lifetime_.Guard([this](const Result<api::ExecSyncResponse>& answer) {
        if (hook_done_ || phase_ != Phase::kRunning) return;
        surroundings_.LogFailure("preStop of " + Described(), answer);
        if (answer && answer->exit_code() != 0) {
          surroundings_.Log(fmt::format("preStop of {} failed with exit status {}", Described(),
                                        answer->exit_code()));
        }
        OnHookDone();
      }));
}

void ContainerRun::OnHookDone() {
  on_patience_.Stop();
  if (std::exchange(hook_done_, true) || phase_ != Phase::kRunning) return;
  SendStopSignal();
}

// Straight to the process: neither memory pressure nor a runtime that hangs is in the way.
void ContainerRun::SendStopSignal() {
  if (process_) {
    surroundings_.processes.Signal(process_, container_.stop_signal.value_or(SIGTERM));
  } else {
    TellRuntimeToStop(stop_grace_);
  }
}

void ContainerRun::Kill() {
  switch (phase_) {
    case Phase::kStarting:
      if (!std::exchange(killed_, true)) {
        on_patience_ = surroundings_.readiness.After(kStartPatience, [this] {
          on_patience_.Stop();
          if (start_) start_->Abandon();
          FailStart({ErrorCode::kUnavailable, "it was killed while it was being started"});
        });
      }
      if (start_) start_->Abandon();
      KillGroups();
      return;
    case Phase::kRunning:
      killed_ = true;
      KillGroups();
      if (process_) surroundings_.processes.Signal(process_, SIGKILL);
      TellRuntimeToStop(Duration::zero());
      return;
    case Phase::kExiting:
      killed_ = true;
      SetPatience(kKilledPatience);
      return;
    case Phase::kEnded: return;
  }
}

// Before its first look at the process, the group of a container is known by the ID in its name.
void ContainerRun::KillGroups() {
  if (!group_.empty()) {
    surroundings_.LogFailure(Described(), surroundings_.group_end.Kill(Path()));
    return;
  }
  const pod_host::EndingPods ending;
  const auto groups = surroundings_.cgroups.Children(order_.pod_group);
  if (!groups || id().empty()) return;
  for (const std::string& group : *groups) {
    if (!IsGroupOfContainer(group, id())) continue;
    const std::string path = pod_host::ContainerGroup(order_.pod_group, group);
    surroundings_.LogFailure(Described(), surroundings_.group_end.Kill(path));
  }
}

void ContainerRun::TellRuntimeToStop(Duration timeout) {
  TellToStop(surroundings_.calls, AnchorOf(container_), timeout,
             timeout + surroundings_.options.request_timeout,
             lifetime_.Guard([this](const Result<void>& told) {
               if (process_ || phase_ != Phase::kRunning) return;
               surroundings_.LogFailure(Described(), told);
             }));
}

void ContainerRun::OnListedDead() {
  if (phase_ == Phase::kRunning && !process_) OnProcessEnded();
}

// What was killed in the pod as a whole; on cgroup v1 a group does not count those below it.
std::uint64_t ContainerRun::PodOomKills() const {
  if (order_.pod_group.empty()) return 0;
  return surroundings_.cgroups.ReadOomKills(order_.pod_group).value_or(0);
}

// At once: the group, and with it the count of OOM kills, is soon removed by the runtime, or has
// been by systemd, which removes a scope that is empty.
void ContainerRun::OnProcessEnded() {
  on_end_.Stop();
  on_patience_.Stop();
  phase_ = Phase::kExiting;
  seen_.finished = surroundings_.clock.Now();
  Result<std::uint64_t> kills = Fail(ErrorCode::kNotFound, "its group was never seen");
  if (!group_.empty()) {
    kills = surroundings_.cgroups.ReadOomKills(Path());
    // A container is over when its own process is: what it forked ends with it.
    const auto left = surroundings_.cgroups.Processes(Path());
    if (left && !left->empty()) KillGroups();
  }
  seen_.oom_killed = kills.value_or(0) > 0;
  seen_.oom_killed_in_pod = !kills && !killed_ && PodOomKills() > pod_oom_kills_;
  SetPatience(killed_ ? kKilledPatience : kKnownPatience);
  AskHowItEnded();
}

void ContainerRun::SetPatience(Duration patience) {
  on_patience_ = surroundings_.readiness.After(patience, [this, patience] {
    on_patience_.Stop();
    if (process_) seen_.wait_status = surroundings_.processes.WaitStatus(process_);
    if (!killed_ && !seen_.wait_status && patience < kUnknownPatience) {
      return SetPatience(kUnknownPatience);
    }
    Exit(ExitOf(seen_));
  });
}

void ContainerRun::AskHowItEnded() {
  AskHowItStands(surroundings_.calls, AnchorOf(container_), surroundings_.options.request_timeout,
                 lifetime_.Guard([this](const auto& answer) { OnStanding(answer); }));
}

void ContainerRun::OnStanding(const Result<ContainerStanding>& answer) {
  using State = ContainerStanding::State;
  if (phase_ != Phase::kExiting) return;
  if (process_) seen_.wait_status = surroundings_.processes.WaitStatus(process_);
  if (answer && answer->state == State::kEnded) {
    return Exit(ExitOf(answer->end, seen_, surroundings_.clock));
  }
  const bool gone = !answer && answer.error().code == ErrorCode::kNotFound;
  const bool unknown = answer && answer->state == State::kUnknown;
  if (gone || unknown) return Exit(ExitOf(seen_));
  const Duration delay = std::min(kFirstAsk * (1 << std::min(asked_++, 10)), kLastAsk);
  on_ask_again_ = surroundings_.readiness.After(delay, [this] {
    on_ask_again_.Stop();
    AskHowItEnded();
  });
}

void ContainerRun::Exit(const ContainerExit& exit) {
  phase_ = Phase::kEnded;
  on_patience_.Stop();
  on_ask_again_.Stop();
  process_.Close();
  group_.clear();
  surroundings_.Emit(ContainerExited{.pod_uid = order_.pod.uid,
                                     .container = order_.container.name,
                                     .attempt = order_.attempt,
                                     .exit = exit});
}

}  // namespace jettison::cri
