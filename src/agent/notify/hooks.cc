#include "agent/notify/hooks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include "core/config/agent_config.h"
#include "core/json/json_writer.h"
#include "core/pass/pass.h"
#include "core/units/http_url.h"
#include "http/client/client.h"
#include "machine/loop/job_queue.h"
#include "ports/file_descriptor.h"
#include "ports/signals_blocked.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// A file in memory: unlike a pipe, it can have any length, and no thread has to write while the
// program reads.
Result<FileDescriptor> FileOf(const std::string& input) {
  FileDescriptor file(memfd_create("jettison-notice", MFD_CLOEXEC));
  if (!file) return FailErrno("make its input");
  if (pwrite(file.get(), input.data(), input.size(), 0) != static_cast<ssize_t>(input.size())) {
    return FailErrno("write its input");
  }
  return file;
}

// Executes the program in a process group of its own, so that its children can be killed with it,
// and with no signal blocked. Returns an errno value if that fails. It runs in a child that shares
// the agent's memory until then, so it calls only async-signal-safe functions.
[[nodiscard]] int Become(char* const* arguments, int input) {
  if (setpgid(0, 0) != 0) return errno;
  // The program does not outlive the agent, which enforces its time limit.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (dup2(input, STDIN_FILENO) < 0 || fcntl(STDIN_FILENO, F_SETFD, 0) < 0) return errno;
  if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return errno;
  // The exec may not close all descriptors of libraries, such as libcurl's wake-up. Kernels
  // before 5.9 lack the call.
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &by_default, nullptr);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  execve(arguments[0], arguments, environ);
  return errno;
}

// 0 or an errno value. posix_spawn does not suffice, because the child has to ask for its own kill.
int Spawn(char* const* arguments, int input, pid_t& pid) {
  const SignalsBlocked no_handler_runs_in_the_child;
  volatile int error = 0;
  const pid_t forked = vfork();  // NOLINT(bugprone-unsafe-functions)
  if (forked == 0) {
    error = Become(arguments, input);
    _exit(127);
  }
  if (forked < 0) return errno;
  if (error != 0) waitpid(forked, nullptr, 0);
  pid = forked;
  return error;
}

// The kernel should kill the agent last, but not a hook.
void BecomeOrdinary(pid_t pid) {
  const FileDescriptor file(
      open(fmt::format("/proc/{}/oom_score_adj", pid).c_str(), O_WRONLY | O_CLOEXEC));
  if (file) [[maybe_unused]]
    const auto written = write(file.get(), "0", 1);
}

// The status with which the program ended by itself; absent: it did not in time.
std::optional<int> AwaitEnd(pid_t pid, int stop, Duration timeout) {
  constexpr int kLookEveryMs = 20;
  pollfd stopped = {.fd = stop, .events = POLLIN, .revents = 0};
  const auto end = std::chrono::steady_clock::now() + timeout;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (stopped.revents != 0 || std::chrono::steady_clock::now() >= end) return std::nullopt;
    poll(&stopped, 1, kLookEveryMs);
  }
  return status;
}

// If vfork is only a fork, as under a sanitizer, the child may not have a group of its own yet.
void KillGroup(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void WriteEviction(std::string_view pod, const EvictionOrder& order, JsonWriter& json) {
  const auto slash = pod.find('/');
  const bool named = slash != std::string_view::npos;
  json.Object("pod", [&] {
    json.Field("namespace", named ? pod.substr(0, slash) : "");
    json.Field("name", named ? pod.substr(slash + 1) : pod);
    json.Field("uid", order.pod_uid);
  });
  json.Object("eviction", [&] {
    json.Field("reason", order.reason);
    json.Field("message", order.message);
    json.Field("gracePeriodSeconds", order.grace_period_seconds);
    json.Object("annotations", [&] {
      for (const auto& [key, value] : order.annotations) json.Field(key, value);
    });
  });
}

constexpr std::size_t kMostWaiting = 32;
constexpr int kBurst = 10;

Result<void> Post(const HookConfig& hook, const std::string& notice) {
  const auto url = ParseHttpUrl(hook.url);
  if (!url) return Fail(url.error());
  const HttpTarget target = {.endpoint = url->origin,
                             .timeout = hook.timeout,
                             .basic_credentials = url->credentials,
                             .is_agent = false};
  const auto answer = HttpPost(target, url->target, notice);
  if (!answer) return Fail(answer.error());
  if (answer->status >= 200 && answer->status < 300) return {};
  return Fail(ErrorCode::kInternal, fmt::format("it answered with status {}", answer->status));
}

// How long the end of the agent waits for hooks: the next agent does not depend on them.
constexpr Duration kBriefEndPatience = std::chrono::milliseconds(500);

}  // namespace

Result<void> RunHookProgram(const HookCall& call, const std::string& input) {
  const auto file = FileOf(input);
  if (!file) return Fail(file.error());
  std::vector<char*> arguments;
  for (const std::string& argument : call.command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // execve changes nothing
  }
  arguments.push_back(nullptr);
  pid_t pid = -1;
  if (const int error = Spawn(arguments.data(), file->get(), pid); error != 0) {
    return Fail(SystemError(error, "start " + call.command.front()));
  }
  BecomeOrdinary(pid);
  const auto status = AwaitEnd(pid, call.stop, call.timeout);
  if (!status) {
    KillGroup(pid);
    return Fail(ErrorCode::kDeadlineExceeded,
                fmt::format("killed because it took longer than {}", FormatDuration(call.timeout)));
  }
  if (WIFSIGNALED(*status)) {
    return Fail(ErrorCode::kInternal, fmt::format("ended by signal {}", WTERMSIG(*status)));
  }
  if (WEXITSTATUS(*status) == 0) return {};
  return Fail(ErrorCode::kInternal, fmt::format("exit status {}", WEXITSTATUS(*status)));
}

// What a call uses, which may be left behind.
struct Hooks::Call {
  const HookConfig hook;
  const std::shared_ptr<Mailbox<HookFailure>> failures;
  const FileDescriptor stopped{eventfd(0, EFD_CLOEXEC)};  // readable: its program is to be killed
  std::atomic<std::size_t> waiting = 0;                   // notices, the present one included

  void Complain(std::string problem) const { failures->Put({hook.name, std::move(problem)}); }
  void Report(const std::string& notice) {
    const auto told =
        hook.exec.empty()
            ? Post(hook, notice)
            : RunHookProgram({.command = hook.exec, .timeout = hook.timeout, .stop = stopped.get()},
                             notice);
    if (!told) Complain(told.error().message);
    --waiting;
  }
};

struct Hooks::Hook {
  std::shared_ptr<Call> call;
  std::unique_ptr<JobQueue> calls;
  Instant used_up_to;

  // Whether it may be called at `now`, which it then is: a few times in a row, and then once an
  // interval. Each call uses up one interval; as many as make a burst may be ahead of the clock.
  [[nodiscard]] bool MayBeCalled(Instant now) {
    const Duration interval = call->hook.min_interval;
    const Instant used_up = std::max(used_up_to, now) + interval;
    if (used_up - now > kBurst * interval) return false;
    used_up_to = used_up;
    return true;
  }
};

Hooks::Hooks(const std::vector<HookConfig>& hooks, std::string node, bool dry_run,
             NameOfPod name_of_pod)
    : node_(std::move(node)), dry_run_(dry_run), name_of_pod_(std::move(name_of_pod)) {
  Replace(hooks);
}

// Each is told to stop before any is waited for, so that hooks which hang do not add up.
Hooks::~Hooks() {
  for (Hook& hook : hooks_) {
    eventfd_write(hook.call->stopped.get(), 1);
    hook.calls->DoInstead([] {});
  }
  const auto end = std::chrono::steady_clock::now() + kBriefEndPatience;
  for (Hook& hook : hooks_) {
    if (hook.calls->running()) {
      (void)hook.calls->FinishWithin(end - std::chrono::steady_clock::now());
    }
  }
}

void Hooks::Replace(const std::vector<HookConfig>& hooks) {
  std::vector<Hook> fresh;  // made before the old ones go, so that their thread stays
  for (const HookConfig& config : hooks) {
    const std::shared_ptr<Call> call(new Call{.hook = config, .failures = failures_});
    fresh.push_back(
        {.call = call, .calls = std::make_unique<JobQueue>(Threads::kHooks, AtEnd::kLeave)});
  }
  hooks_ = std::move(fresh);
}

void Hooks::ConditionsChanged(NodeConditions before, NodeConditions after, Instant now) {
  for (const NodeConditionType type : kAllNodeConditions) {
    if (before.Has(type) == after.Has(type)) continue;
    Report(Occasion::kConditionChange, now, [&](JsonWriter& json) {
      const NodeConditionText text = TextOf(type, after.Has(type));
      json.Object("condition", [&] {
        json.Field("type", text.type);
        json.Field("status", text.status);
        json.Field("reason", text.reason);
        json.Field("message", text.message);
      });
    });
  }
}

void Hooks::Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome, Instant now) {
  if (hooks_.empty()) return;
  const std::string pod = name_of_pod_(order.pod_uid);
  Report(Occasion::kBeforeEviction, now,
         [&](JsonWriter& json) { WriteEviction(pod, order, json); });
  if (outcome && !dry_run_) evicted_.push_back({pod, order});
}

void Hooks::CleanedUp(bool all_gone, Instant now) {
  for (const Evicted& evicted : std::exchange(evicted_, {})) {
    Report(Occasion::kAfterEviction, now, [&](JsonWriter& json) {
      WriteEviction(evicted.pod, evicted.order, json);
      json.Field("cleanedUp", all_gone);
    });
  }
}

void Hooks::Report(Occasion occasion, Instant now, const std::function<void(JsonWriter&)>& write) {
  std::string notice;
  JsonWriter json(notice);
  json.Object([&] {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "Notice");
    json.Field("type", NameOf(occasion));
    json.Field("time", FormatInstant(now));
    json.Field("node", node_);
    json.Field("dryRun", dry_run_);
    write(json);
  });
  for (Hook& hook : hooks_) {
    const HookConfig& config = hook.call->hook;
    if (std::ranges::find(config.when, occasion) == config.when.end()) continue;
    if (!hook.MayBeCalled(now)) {
      hook.call->Complain("the hook is called too often, so a notice was dropped");
    } else if (hook.call->waiting >= kMostWaiting) {
      hook.call->Complain("the hook is too slow, so a notice was dropped");
    } else {
      ++hook.call->waiting;
      hook.calls->Do([call = hook.call, notice] { call->Report(notice); });
    }
  }
}

void Hooks::LogFailures(const Log& log) {
  for (const HookFailure& failure : failures_->TakeAll()) {
    log.Warn("hook call failed", {{"hook", failure.hook}, {"err", failure.problem}});
  }
}

}  // namespace jettison
