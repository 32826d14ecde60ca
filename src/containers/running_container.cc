#include "containers/running_container.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// How long the keeper may take to report how a container ended: one that was killed; one whose end
// the kernel explains; and one whose end only the keeper knows, where the exit code may decide
// whether the pod has succeeded.
constexpr Duration kKilledPatience = milliseconds(300);
constexpr Duration kKnownPatience = seconds(1);
constexpr Duration kUnknownPatience = seconds(10);
// The first and the longest pause before a process that could not be opened is tried again; the
// pause doubles each time. A lack of descriptors is soon over, whereas a kernel that forbids it
// keeps forbidding it.
constexpr Duration kFirstAttachAgain = milliseconds(200);
constexpr Duration kLastAttachAgain = seconds(5);
constexpr Duration kFirstAsk = milliseconds(5);
constexpr Duration kLastAsk = milliseconds(500);
// A container goes on as another process than the one that has ended after the fourth look, 35 ms
// later. By then its keeper has ended what its first process has left behind.
constexpr int kAsksBeforeItGoesOn = 3;

}  // namespace

RunningContainer::RunningContainer(RunDependencies& dependencies, RunIdentity identity)
    : dependencies_(dependencies), identity_(identity) {}

std::string RunningContainer::Described() const {
  return fmt::format("container {} of pod {} (run {})", identity_.container.name,
                     FullName(identity_.pod), identity_.attempt);
}

std::optional<StartedContainer> RunningContainer::Known() const {
  if (phase_ != Phase::kRunning || !process_) return std::nullopt;
  return container_;
}

std::string RunningContainer::Path() const {
  return identity_.pod_group.empty() ? group_ : kernel::ContainerGroup(identity_.pod_group, group_);
}

void RunningContainer::Expect() {
  pod_oom_kills_ = PodOomKills();
}

void RunningContainer::Begin(const StartedContainer& container,
                             std::shared_ptr<ContainerKeeper> keeper) {
  phase_ = Phase::kRunning;
  container_ = container;
  keeper_ = std::move(keeper);
  seen_.started = container.started;
  if (container.pid) Attach();
}

// What cannot be opened for want of a descriptor runs all the same.
void RunningContainer::Attach() {
  on_attach_again_.Stop();
  const auto taken = TakeProcess();
  if (taken) return;
  is_gone_ = taken.error().code == ErrorCode::kNotFound;
  if (is_gone_) return;
  const Duration delay =
      std::min(kFirstAttachAgain * (1 << std::min(attached_++, 10)), kLastAttachAgain);
  on_attach_again_ = dependencies_.readiness.After(delay, [this] {
    Attach();
    (void)LookForEnd();
  });
}

// The group says which process is the container's: its number may have been reused, /proc may hide
// it, and other processes may run on where the first one has ended.
Result<void> RunningContainer::TakeProcess() {
  if (auto found = FindGroup(); !found) return found;
  const auto listed =
      dependencies_.cgroups.Processes(group_.empty() ? identity_.pod_group : Path());
  if (!listed) return Fail(listed.error());
  pid_t pid = *container_.pid;
  if (std::ranges::find(*listed, pid) == listed->end()) {
    const auto first = FirstProcess();
    if (!first) return Fail(first.error());
    if (!*first) return Fail(ErrorCode::kNotFound, "nothing runs in its group");
    pid = **first;
  }
  auto process = dependencies_.processes.Open(pid);
  if (!process) return Fail(process.error());
  container_.pid = pid;
  const auto mounts = dependencies_.processes.ReadFile(pid, "mountinfo");
  if (mounts) layer_ = UpperFolderOf(*mounts);
  if (!mounts && mounts.error().code == ErrorCode::kNotFound) dependencies_.LogHidden();
  process_ = std::move(*process);
  on_end_ = dependencies_.readiness.OnReadable(process_.get(), [this] { OnProcessEnded(); });
  return {};
}

// A runtime that names the group otherwise has the process at least in the pod's.
Result<void> RunningContainer::FindGroup() {
  if (!group_.empty()) return {};
  group_ = container_.group;
  if (!group_.empty()) return {};
  auto named = GroupOfContainer(dependencies_.cgroups, identity_.pod_group, container_.id);
  if (named) group_ = *std::move(named);
  return named || named.error().code == ErrorCode::kNotFound ? Result<void>() : Fail(named.error());
}

// Of what runs in its group.
Result<std::optional<pid_t>> RunningContainer::FirstProcess() const {
  if (group_.empty()) return std::optional<pid_t>();
  const auto first = FirstProcessIn(dependencies_.processes, dependencies_.cgroups, Path());
  if (!first) return Fail(first.error());
  return *first ? std::optional((*first)->pid) : std::nullopt;
}

// Where nobody tells the process, the keeper alone knows whether it runs.
bool RunningContainer::LookForEnd() {
  const bool ended = container_.ended || is_gone_;
  if (ended) OnProcessEnded();
  return ended;
}

// Signals the process directly, so neither memory pressure nor a keeper that hangs delays it.
void RunningContainer::Stop(Duration grace) {
  if (phase_ != Phase::kRunning) return;
  if (!process_ && container_.pid) Attach();
  if (LookForEnd()) return;
  if (process_) {
    dependencies_.processes.Signal(process_, container_.stop_signal.value_or(SIGTERM));
  } else {
    TellKeeper(grace);
  }
}

void RunningContainer::Kill() {
  switch (phase_) {
    case Phase::kRunning:
      killed_ = true;
      KillGroup();
      if (process_) dependencies_.processes.Signal(process_, SIGKILL);
      TellKeeper(Duration::zero());
      return;
    case Phase::kExiting:
      killed_ = true;
      SetPatience(kKilledPatience);
      return;
    case Phase::kExpected:
    case Phase::kEnded: return;
  }
}

void RunningContainer::KillGroup() {
  if (!FindGroup() || group_.empty()) return;
  const auto killed = dependencies_.group_end.Kill(Path());
  if (!killed) dependencies_.LogFailure(Described(), killed);
}

void RunningContainer::KillByName(const std::string& id) {
  killed_ = true;
  container_.id = id;
  KillGroup();
}

void RunningContainer::TellKeeper(Duration timeout) {
  if (!keeper_) return;
  keeper_->TellToStop(timeout, timeout + dependencies_.request_timeout,
                      lifetime_.Guard([this](const Result<void>& told) {
                        if (process_ || phase_ != Phase::kRunning) return;
                        dependencies_.LogFailure(Described(), told);
                      }));
}

void RunningContainer::OnListedDead() {
  if (phase_ == Phase::kRunning && !process_) OnProcessEnded();
}

// What was killed in the pod as a whole; on cgroup v1 a group does not count those below it.
std::uint64_t RunningContainer::PodOomKills() const {
  if (identity_.pod_group.empty()) return 0;
  return dependencies_.cgroups.ReadOomKills(identity_.pod_group).value_or(0);
}

// Reads the OOM kills at once: the runtime soon removes the group and its counter, and systemd may
// have removed an empty scope already.
void RunningContainer::OnProcessEnded() {
  on_end_.Stop();
  on_attach_again_.Stop();
  phase_ = Phase::kExiting;
  seen_.finished = dependencies_.clock.Now();
  Result<std::uint64_t> kills = Fail(ErrorCode::kNotFound, "its group was never seen");
  if (!group_.empty()) {
    kills = dependencies_.cgroups.ReadOomKills(Path());
    // A container ends with its first process; its other processes are killed. In a foreign
    // container its keeper does that, because another run may begin there; the agent does it only
    // if it has killed the container.
    const bool is_ours = !identity_.pod_group.empty() || killed_;
    const auto left = dependencies_.cgroups.Processes(Path());
    if (is_ours && left && !left->empty()) KillGroup();
  }
  seen_.oom_killed = kills.value_or(0) > 0;
  seen_.oom_killed_in_pod = !kills && !killed_ && PodOomKills() > pod_oom_kills_;
  SetPatience(killed_ ? kKilledPatience : kKnownPatience);
  AskHowItEnded();
}

void RunningContainer::SetPatience(Duration patience) {
  on_patience_ = dependencies_.readiness.After(patience, [this, patience] {
    on_patience_.Stop();
    if (process_) seen_.wait_status = dependencies_.processes.WaitStatus(process_);
    const auto left = LeftBehind();
    if (!killed_ && left && *left) return GoOnAs(**left);
    if (!killed_ && (!left || (!seen_.wait_status && patience < kUnknownPatience))) {
      return SetPatience(kUnknownPatience);
    }
    Exit(ExitOf(seen_));
  });
}

// The process by which a foreign container goes on although its first one has ended: its keeper has
// not ended it, and its group holds others.
Result<std::optional<pid_t>> RunningContainer::LeftBehind() const {
  return identity_.pod_group.empty() ? FirstProcess() : std::optional<pid_t>();
}

void RunningContainer::AskHowItEnded() {
  if (!keeper_) return OnStanding(ContainerStanding{});
  keeper_->AskHowItStands(dependencies_.request_timeout,
                          lifetime_.Guard([this](const auto& answer) { OnStanding(answer); }));
}

void RunningContainer::OnStanding(const Result<ContainerStanding>& answer) {
  using State = ContainerStanding::State;
  if (phase_ != Phase::kExiting) return;
  if (process_) seen_.wait_status = dependencies_.processes.WaitStatus(process_);
  if (answer && answer->state == State::kEnded) {
    return Exit(ExitOf(answer->end, seen_, dependencies_.clock));
  }
  const auto left = LeftBehind();
  const bool goes_on = !left || *left;  // what cannot be read may run
  if (goes_on && killed_) KillGroup();
  const bool gone = !answer && answer.error().code == ErrorCode::kNotFound;
  const bool unknown = answer && answer->state == State::kUnknown;
  if ((gone || unknown) && (!goes_on || killed_)) return Exit(ExitOf(seen_));
  if (left && *left && !killed_ && asked_ >= kAsksBeforeItGoesOn) return GoOnAs(**left);
  AskAgain();
}

void RunningContainer::AskAgain() {
  const Duration delay = std::min(kFirstAsk * (1 << std::min(asked_++, 10)), kLastAsk);
  on_ask_again_ = dependencies_.readiness.After(delay, [this] {
    on_ask_again_.Stop();
    AskHowItEnded();
  });
}

void RunningContainer::GoOnAs(pid_t pid) {
  on_patience_.Stop();
  process_.Close();
  phase_ = Phase::kRunning;
  container_.pid = pid;
  asked_ = 0;
  is_gone_ = false;
  Attach();
  (void)LookForEnd();
}

void RunningContainer::Exit(const ContainerExit& exit) {
  phase_ = Phase::kEnded;
  on_patience_.Stop();
  on_ask_again_.Stop();
  process_.Close();
  group_.clear();
  dependencies_.Emit(ContainerExited{.pod_uid = identity_.pod.uid,
                                     .container = identity_.container.name,
                                     .attempt = identity_.attempt,
                                     .exit = exit});
}

}  // namespace jettison
