#include "runtimes/process/runs/pre_stop_hook.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/processes/processes.h"
#include "kernel/readiness/pidfd.h"
#include "ports/system_error.h"
#include "runtimes/process/runs/run_record.h"
#include "runtimes/process/runs/shim_order.h"

namespace jettison::process {

using namespace kernel;
namespace {

int OomScoreAdjOf(pid_t pid) {
  const auto text = ReadFile(fmt::format("/proc/{}/oom_score_adj", pid));
  int value = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

// The id of the parent; 0 if there is no such process.
Result<pid_t> ParentOf(pid_t pid) {
  const auto text = ReadFile(fmt::format("/proc/{}/stat", pid));
  if (!text && text.error().code == ErrorCode::kNotFound) return 0;
  if (!text) return Fail(text.error());
  return jettison::ParentOf(*text);
}

bool HasEnded(const FileDescriptor& pidfd) {
  pollfd ended{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) == 1;
}

}  // namespace

Result<std::optional<LiveContainer>> OpenLiveContainer(pid_t container, const ShimProcess& shim) {
  const FileDescriptor pidfd = OpenPidfd(container);
  if (!pidfd && errno == ESRCH) return std::nullopt;
  if (!pidfd) return FailErrno(fmt::format("pidfd_open {}", container));
  const std::string path = fmt::format("/proc/{}/ns/mnt", container);
  FileDescriptor mount_namespace(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int error = mount_namespace ? 0 : errno;
  const int oom_score_adj = OomScoreAdjOf(container);
  const auto parent = ParentOf(container);
  // This check is last: if neither has ended, both ids were theirs, so all that was read is about
  // them.
  if (HasEnded(pidfd) || HasEnded(shim.pidfd())) return std::nullopt;
  if (!parent) return Fail(parent.error());
  if (*parent != shim.pid() || error == ENOENT) return std::nullopt;
  if (error != 0) return Fail(SystemError(error, "open " + path));
  return LiveContainer{std::move(mount_namespace), oom_score_adj};
}

Result<std::unique_ptr<PreStopHook>> PreStopHook::Start(RuntimeContext& context, const Pod& pod,
                                                        const Container& container,
                                                        const Place& place, Done done) {
  auto groups = context.cgroups.OpenProcs(place.group);
  if (!groups) return Fail(groups.error().In(kIntoGroups));
  const auto order = Format({.command = container.pre_stop->command,
                             .environment = EnvironmentOf(pod, container),
                             .groups = NamesOf(*groups),
                             .working_dir = container.working_dir,
                             .rootfs = place.rootfs,
                             .oom_score_adj = place.container.oom_score_adj});
  if (!order) return Fail(order.error());
  const std::string about = fmt::format("preStop of {}/{}", pod.uid, container.name);
  auto shim = ShimProcess::Start(
      context.options.shim, *order, about,
      {.groups = std::move(*groups), .mount_namespace = &place.container.mount_namespace});
  if (!shim) return Fail(shim.error());
  return std::unique_ptr<PreStopHook>(
      new PreStopHook(context, about, std::move(*shim), std::move(done)));
}

PreStopHook::PreStopHook(RuntimeContext& context, std::string about, ShimProcess shim, Done done)
    : context_(context), about_(std::move(about)), shim_(std::move(shim)), done_(std::move(done)) {
  on_end_ = context_.readiness.OnReadable(shim_.pidfd().get(), [this] { OnEnded(); });
}

PreStopHook::~PreStopHook() {
  if (ended_) return;
  // Its command is killed when the shim ends.
  SendSignal(shim_.pidfd(), SIGKILL);
  context_.ending_shims.push_back(std::move(shim_));
}

void PreStopHook::Limit(Duration grace) {
  on_timeout_ = context_.readiness.After(grace, [this] {
    context_.Log(about_ + " did not end within the grace period");
    on_end_.Stop();
    const Done done = done_;
    done();
  });
}

void PreStopHook::OnEnded() {
  if (const auto message = shim_.Receive(); message && *message) {
    context_.Log(ErrorOf(**message).In(about_).message);
  }
  const auto status = shim_.Reap();
  ended_ = true;
  if (status.value_or(0) != 0) {
    context_.Log(fmt::format("{} failed with exit status {}", about_, *status));
  }
  on_end_.Stop();
  on_timeout_.Stop();
  const Done done = done_;
  done();
}

}  // namespace jettison::process
