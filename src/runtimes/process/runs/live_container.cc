#include "runtimes/process/runs/live_container.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/readiness/pidfd.h"
#include "ports/system_error.h"
#include "runtimes/process/runs/process_identity.h"

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
  const auto stat = ParseProcessStat(*text);
  return stat ? stat->parent : 0;
}

bool HasEnded(const FileDescriptor& pidfd) {
  return AwaitEnd(pidfd, 0);
}

}  // namespace

Result<std::optional<LiveContainer>> OpenLiveContainer(pid_t container, const HeldProcess& shim) {
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
  if (HasEnded(pidfd) || HasEnded(shim.pidfd)) return std::nullopt;
  if (!parent) return Fail(parent.error());
  if (*parent != shim.pid || error == ENOENT) return std::nullopt;
  if (error != 0) return Fail(SystemError(error, "open " + path));
  return LiveContainer{std::move(mount_namespace), oom_score_adj};
}

}  // namespace jettison::process
