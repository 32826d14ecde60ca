#include "kernel/psi/pressure_trigger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "ports/system_error.h"

namespace jettison::psi {
namespace {

using std::chrono::microseconds;

constexpr microseconds kLongestWindow = std::chrono::seconds(10);

Result<void> Check(const Stalls& wanted) {
  if (wanted.window > kLongestWindow) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("a pressure trigger's window is at most 10 s, not {} us",
                            wanted.window.count()));
  }
  if (wanted.stall <= microseconds::zero() || wanted.stall > wanted.window) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("a stall of {} us does not fit into a window of {} us",
                            wanted.stall.count(), wanted.window.count()));
  }
  return {};
}

Result<FileDescriptor> OpenForTrigger(int directory, const std::string& file) {
  FileDescriptor fd(
      ::openat(directory, file.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (fd) return fd;
  const int error = errno;
  if (error == EPERM || error == EACCES) {
    return Fail(ErrorCode::kPermissionDenied,
                file +
                    ": this kernel gives pressure triggers to processes with CAP_SYS_RESOURCE "
                    "alone (before Linux 6.5), or the file system is read-only");
  }
  if (error == ENOENT) {
    return Fail(ErrorCode::kUnavailable,
                file +
                    " does not exist: the kernel keeps no pressure stall information (older "
                    "than 4.20, no CONFIG_PSI, or psi=1 needed), or the group is gone");
  }
  return Fail(SystemError(error, "open " + file));
}

// The errno of the write; 0 if the trigger is set. The kernel accepts one trigger for each
// descriptor and requires the terminating NUL.
int Ask(int fd, const Stalls& stalls) {
  const std::string request =
      fmt::format("{} {} {}", stalls.kind == StallKind::kFull ? "full" : "some",
                  stalls.stall.count(), stalls.window.count());
  ssize_t written = 0;
  do {
    written = ::write(fd, request.c_str(), request.size() + 1);
  } while (written < 0 && errno == EINTR);
  return written < 0 ? errno : 0;
}

tl::unexpected<Error> FailAsking(int error, const std::string& file) {
  if (error == EOPNOTSUPP) {
    return Fail(ErrorCode::kUnavailable,
                file + ": the kernel keeps no pressure stall information: boot with psi=1");
  }
  if (error == EINVAL) {
    return Fail(ErrorCode::kPermissionDenied,
                file +
                    ": the kernel refuses the window: without CAP_SYS_RESOURCE it has to be a "
                    "multiple of 2 s");
  }
  return Fail(SystemError(error, "pressure trigger on " + file));
}

}  // namespace

Result<PressureTrigger> PressureTrigger::Open(const std::string& file, const Stalls& wanted) {
  return Open(AT_FDCWD, file, wanted);
}

Result<PressureTrigger> PressureTrigger::Open(int directory, const std::string& file,
                                              const Stalls& wanted) {
  if (const auto sound = Check(wanted); !sound) return Fail(sound.error());
  auto fd = OpenForTrigger(directory, file);
  if (!fd) return Fail(fd.error());
  int error = 0;
  for (const microseconds window : {wanted.window, kOldWindow, kUnprivilegedWindow}) {
    if (window < wanted.window) continue;
    const Stalls asked = {.kind = wanted.kind, .stall = wanted.stall, .window = window};
    error = Ask(fd->get(), asked);
    if (error == 0) return PressureTrigger(std::move(*fd), asked);
    if (error != EINVAL) break;
  }
  return FailAsking(error, file);
}

}  // namespace jettison::psi
