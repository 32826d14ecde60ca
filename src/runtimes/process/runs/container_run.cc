#include "runtimes/process/runs/container_run.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/mounts/mount_plan.h"
#include "kernel/readiness/pidfd.h"
#include "ports/system_error.h"
#include "runtimes/process/runs/pre_stop_hook.h"
#include "runtimes/process/runs/shim_order.h"

namespace jettison::process {

using namespace kernel;
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds(5);
// An exit record that cannot be read is read again at this interval and for this long.
constexpr Duration kReadAgain = std::chrono::milliseconds(100);
constexpr Duration kUnreadPatience = std::chrono::seconds(10);

// What names the folders of a pod, without all that it is made of.
Pod FoldersOf(const Pod& pod) {
  Pod named;
  named.uid = pod.uid;
  named.name = pod.name;
  named.namespace_ = pod.namespace_;
  return named;
}

// The folder of a run that is there already is not this run's.
Result<void> MakeRunFolders(const Paths& paths, const Pod& pod, const std::string& container,
                            int attempt) {
  if (auto made = MakeFolders(paths.Container(pod.uid, container)); !made) return made;
  if (auto made = MakeFolders(paths.ContainerLogs(pod, container)); !made) return made;
  const std::string run_dir = paths.Run(pod.uid, container, attempt);
  if (::mkdir(run_dir.c_str(), 0700) != 0) return FailErrno("make folder " + run_dir);
  auto rootfs = MakeFolders(paths.Rootfs(pod.uid, container, attempt));
  if (!rootfs) (void)::rmdir(run_dir.c_str());
  return rootfs;
}

}  // namespace

ContainerRun::ContainerRun(RuntimeContext& context, RunName name, const PodPlan& plan,
                           const Container& container, std::string group)
    : context_(context),
      name_(std::move(name)),
      pod_(plan.pod),
      container_(container),
      limits_(LimitsOf(plan, container.name)),
      group_(std::move(group)) {}

std::string ContainerRun::Described() const {
  return fmt::format("container {} of pod {} (run {})", name_.container, FullName(*pod_),
                     name_.attempt);
}

void ContainerRun::Start(int oom_score_adj) {
  ordered_ = context_.clock.Now();
  context_.disk.Do(
      [paths = context_.paths, pod = FoldersOf(*pod_), container = name_.container,
       attempt = name_.attempt] { return MakeRunFolders(paths, pod, container, attempt); },
      lifetime_.Guard([this, oom_score_adj](const Result<void>& made) {
        if (auto launched = Launch(made, oom_score_adj); !launched) EndStart(launched.error());
      }));
}

Result<std::string> ContainerRun::MakeOrder(int oom_score_adj,
                                            const std::vector<ProcsFile>& groups) {
  const Paths& paths = context_.paths;
  const auto& [uid, container, attempt] = name_;
  auto command = CommandLineOf(container_);
  if (!command) return Fail(command.error());
  auto mounts = PlanMounts(paths, *pod_, container_);
  if (!mounts) return Fail(mounts.error());
  return Format({.command = std::move(*command),
                 .environment = EnvironmentOf(*pod_, container_),
                 .groups = NamesOf(groups),
                 .working_dir = container_.working_dir,
                 .rootfs = paths.Rootfs(uid, container, attempt),
                 .oom_score_adj = oom_score_adj,
                 .run_dir = paths.Run(uid, container, attempt),
                 .mounts = std::move(*mounts),
                 .log_path = paths.Log(*pod_, container, attempt),
                 .boot_id = context_.boot_id,
                 .oom_kills = oom_kills_before_});
}

tl::expected<void, StartError> ContainerRun::Launch(const Result<void>& folders,
                                                    int oom_score_adj) {
  if (!folders) return FailStart(StartFailure::kCreate, folders.error());
  made_folder_ = true;
  if (kill_pending_) {
    return FailStart(StartFailure::kCreate,
                     Error{ErrorCode::kUnavailable, "it was killed while it was being started"});
  }
  Cgroups& cgroups = context_.cgroups;
  if (auto made = cgroups.Create(group_, limits_); !made) {
    return FailStart(StartFailure::kCreate, made.error());
  }
  oom_kills_before_ = cgroups.ReadOomKills(group_).value_or(0);

  auto groups = cgroups.OpenProcs(group_);
  if (!groups) return FailStart(StartFailure::kCreate, groups.error().In(kIntoGroups));
  const auto order = MakeOrder(oom_score_adj, *groups);
  if (!order) return FailStart(StartFailure::kConfig, order.error());
  const std::string label =
      fmt::format("{}/{}/{}", FullName(*pod_), name_.container, name_.attempt);
  auto shim = ShimProcess::Start(context_.options.shim, *order, label,
                                 {.groups = std::move(*groups), .mount_namespace = nullptr});
  if (!shim) return FailStart(StartFailure::kCreate, shim.error());
  shim_ = std::move(*shim);
  on_message_ = context_.readiness.OnReadable(shim_->socket(), [this] { Listen(); });
  on_end_ = context_.readiness.OnReadable(shim_->pidfd().get(), [this] { OnShimEnded(); });
  return {};
}

void ContainerRun::Adopt(FoundRun found, Instant started) {
  phase_ = Phase::kRunning;
  container_pid_ = found.record->container;
  oom_kills_before_ = found.record->oom_kills;
  started_ = started;
  started_wall_ = found.record->created;
  shim_.emplace(found.record->shim.pid, std::move(found.shim));
  on_end_ = context_.readiness.OnReadable(shim_->pidfd().get(), [this] { OnShimEnded(); });
}

void ContainerRun::Listen() {
  while (on_message_) {
    const auto received = shim_->Receive();
    if (!received) {
      on_message_.Stop();
      return;
    }
    if (!*received) return;
    const shim::Message& message = **received;
    switch (message.kind) {
      case shim::MessageKind::kStarted: OnStarted(message); break;
      case shim::MessageKind::kFailed: failure_ = StartErrorOf(message); break;
    }
  }
}

// There is no message after this one, and a descriptor for each container would be many.
void ContainerRun::OnStarted(const shim::Message& message) {
  on_message_.Stop();
  shim_->HangUp();
  phase_ = Phase::kRunning;
  container_pid_ = message.pid;
  started_wall_ = WallTime(std::chrono::nanoseconds(message.at_ns));
  started_ = InstantOf(started_wall_, context_.clock, ordered_);
  if (message.error != 0 && context_.oom_score_adj_refused.Take()) {
    context_.Log(SystemError(message.error,
                             "oom_score_adj cannot be lowered without CAP_SYS_RESOURCE; containers "
                             "keep the nearest value that is allowed")
                     .message);
  }
  context_.Emit(ContainerStarted{.pod_uid = name_.pod_uid,
                                 .container = name_.container,
                                 .attempt = name_.attempt,
                                 .at = started_});
  if (kill_pending_) Kill();
  if (const auto grace = std::exchange(stop_pending_, std::nullopt)) Stop(*grace);
}

void ContainerRun::OnShimEnded() {
  if (on_message_) Listen();
  (void)shim_->Reap();
  on_message_.Stop();
  on_end_.Stop();
  if (phase_ == Phase::kRunning) {
    Exit();
  } else {
    EndStragglers();
    EndStart(failure_.value_or(StartError{
        StartFailure::kRun,
        {ErrorCode::kInternal, "the shim was killed before it told that the program runs"}}));
  }
}

void ContainerRun::EndStart(StartError why) {
  phase_ = Phase::kEnded;
  on_message_.Stop();
  on_end_.Stop();
  shim_.reset();
  if (made_folder_) {
    context_.disk.Do([paths = context_.paths, pod = FoldersOf(*pod_), container = name_.container,
                      attempt = name_.attempt]() -> Result<void> {
      RemoveUnusedRun(paths, pod, container, attempt);
      return {};
    });
  }
  context_.RefuseStart(name_.pod_uid, name_.container, name_.attempt, std::move(why.error),
                       why.failure);
}

// The shim's exit record, or, if the shim was killed, what is known without it. Absent while the
// disk answers with errors, because it may answer again soon; a record that stays unreadable is not
// overwritten.
std::optional<ExitRecord> ContainerRun::LastWord() {
  const std::string run_dir = context_.paths.Run(name_.pod_uid, name_.container, name_.attempt);
  const FoundRun found = ReadEnd(run_dir);
  if (found.exit) return found.exit;
  const Instant now = context_.clock.Now();
  if (found.passing && !unread_since_) {
    unread_since_ = now;
    context_.Log(
        fmt::format("{} has ended, and its exit status cannot be read: {}; the agent tries again",
                    Described(), found.fault));
  }
  if (found.passing && now - *unread_since_ < kUnreadPatience) return std::nullopt;
  const ExitRecord lost = LostRun(started_wall_, context_.clock.Wall());
  context_.Log(fmt::format("{} lost its shim{}; it was killed and counts as exit code {}",
                           Described(), found.fault.empty() ? "" : ": " + found.fault, lost.code));
  if (!found.passing) NoteLost(context_, Described(), run_dir, lost);
  return lost;
}

// A container ends with its own process; its children are ended with it.
void ContainerRun::EndStragglers() {
  const auto left = context_.cgroups.Processes(group_);
  if (left && left->empty()) return;
  context_.LogFailure(Described(), context_.group_end.Kill(group_));
}

void ContainerRun::Exit() {
  hook_.reset();
  EndStragglers();
  TellExit();
}

void ContainerRun::TellExit() {
  // The next run has the same group, and a signal that arrives late would reach it.
  if (context_.group_end.IsSignalling(group_)) {
    on_retry_ = context_.readiness.After(kLookAgain, [this] { TellExit(); });
    return;
  }
  const auto last = LastWord();
  if (!last) {
    on_retry_ = context_.readiness.After(kReadAgain, [this] { TellExit(); });
    return;
  }
  phase_ = Phase::kEnded;
  if (last->lost_log_bytes > 0) {
    context_.Log(fmt::format("{} lost {} bytes of output that the disk had no room for",
                             Described(), last->lost_log_bytes));
  }
  const std::uint64_t oom_kills = context_.cgroups.ReadOomKills(group_).value_or(oom_kills_before_);
  shim_.reset();
  context_.Emit(
      ContainerExited{.pod_uid = name_.pod_uid,
                      .container = name_.container,
                      .attempt = name_.attempt,
                      .exit = {.exit_code = last->code,
                               .signal = last->signal,
                               .oom_killed = oom_kills > oom_kills_before_,
                               .started = started_,
                               .finished = InstantOf(last->finished, context_.clock, started_)}});
}

void ContainerRun::Stop(Duration grace) {
  switch (phase_) {
    case Phase::kStarting: stop_pending_ = grace; return;
    case Phase::kRunning:
      if (container_.pre_stop && !hook_done_ && grace > Duration::zero()) {
        RunHook(grace);
      } else {
        Terminate();
      }
      return;
    case Phase::kEnded: return;
  }
}

// None if the container's process has ended, because there is nothing left to run it in.
Result<std::unique_ptr<PreStopHook>> ContainerRun::StartHook() {
  const auto container = OpenLiveContainer(container_pid_, *shim_);
  if (!container) return Fail(container.error());
  if (!*container) return nullptr;
  const PreStopHook::Place place{
      .group = group_,
      .rootfs = context_.paths.Rootfs(name_.pod_uid, name_.container, name_.attempt),
      .container = **container};
  return PreStopHook::Start(context_, *pod_, container_, place, [this] {
    hook_done_ = true;
    hook_.reset();
    Terminate();
  });
}

void ContainerRun::RunHook(Duration grace) {
  if (!hook_) {
    auto hook = StartHook();
    if (!hook || *hook == nullptr) {
      const std::string about = "preStop of " + Described();
      context_.Log(hook ? about + " is not run: its process has ended"
                        : hook.error().In(about).message);
      hook_done_ = true;
      Terminate();
      return;
    }
    hook_ = std::move(*hook);
  }
  hook_->Limit(grace);
}

// The run is described only where the signal failed, because it must not wait for that.
void ContainerRun::Terminate() {
  const auto signalled = context_.group_end.Signal(group_, SIGTERM);
  if (!signalled) context_.LogFailure(Described(), signalled);
}

void ContainerRun::Kill() {
  if (phase_ == Phase::kEnded) return;
  if (phase_ == Phase::kStarting) kill_pending_ = true;
  const auto killed = context_.group_end.Kill(group_);
  if (!killed) context_.LogFailure(Described(), killed);
}

void ContainerRun::ReopenLog() const {
  SendSignal(shim_->pidfd(), SIGHUP);
}

void NoteLost(RuntimeContext& context, std::string about, const std::string& run_dir,
              const ExitRecord& lost) {
  context.disk.Do(
      [file = ExitFileOf(run_dir), text = FormatExitRecord(lost)] { return WriteFile(file, text); },
      [&context, about = std::move(about)](const Result<void>& written) {
        context.LogFailure(about, written);
      });
}

void RemoveUnusedRun(const Paths& paths, const Pod& pod, const std::string& container,
                     int attempt) {
  // A shim whose agent has died may be making its first files now, and none in a folder that is
  // gone. Shims of earlier versions wrote `starting`.
  constexpr int kMostTries = 5;
  const std::string run_dir = paths.Run(pod.uid, container, attempt);
  for (int tries = 0; tries < kMostTries; ++tries) {
    for (const char* name : {shim::kRunningDraftFile, shim::kRunningFile, shim::kExitDraftFile,
                             shim::kExitFile, "starting.new", "starting"}) {
      (void)::unlink(fmt::format("{}/{}", run_dir, name).c_str());
    }
    (void)::rmdir(paths.Rootfs(pod.uid, container, attempt).c_str());
    if (::rmdir(run_dir.c_str()) == 0 || errno != ENOTEMPTY) break;
  }
  const std::string log = paths.Log(pod, container, attempt);
  struct stat facts {};
  if (::stat(log.c_str(), &facts) == 0 && facts.st_size == 0) (void)::unlink(log.c_str());
}

}  // namespace jettison::process
