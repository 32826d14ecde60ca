#include "runtimes/process/runs/process_identity.h"

#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <charconv>
#include <csignal>

#include "kernel/files/files.h"
#include "kernel/readiness/pidfd.h"
#include "ports/system_error.h"

namespace jettison::process {

using namespace kernel;
namespace {

constexpr std::string_view kBootIdFile = "/proc/sys/kernel/random/boot_id";

}  // namespace

Result<std::string> ReadBootId() {
  auto text = ReadFile(std::string(kBootIdFile));
  if (!text) return text;
  while (text->ends_with('\n')) text->pop_back();
  return text;
}

std::optional<ProcessStat> ParseProcessStat(std::string_view text) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || text.size() < name_end + 4) return std::nullopt;
  ProcessStat stat{.state = text[name_end + 2]};
  std::size_t at = name_end;
  const auto read = [&](auto& number) {
    const auto parsed = std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    return parsed.ec == std::errc{};
  };
  for (int field = 3; field <= 22; ++field) {
    at = text.find(' ', at + 1);
    if (at == std::string_view::npos) return std::nullopt;
    if (field == 4 && !read(stat.parent)) return std::nullopt;
  }
  if (!read(stat.start_time)) return std::nullopt;
  return stat;
}

Result<FileDescriptor> OpenLiveProcess(const ProcessIdentity& identity, std::string_view boot_id) {
  if (identity.boot_id != boot_id) return FileDescriptor();
  // The handle is opened first, so that what is read afterwards is about its process.
  FileDescriptor pidfd = OpenPidfd(identity.pid);
  if (!pidfd && errno == ESRCH) return FileDescriptor();
  if (!pidfd) return FailErrno(fmt::format("pidfd_open {}", identity.pid));
  const auto text = ReadFile(fmt::format("/proc/{}/stat", identity.pid));
  if (!text && text.error().code != ErrorCode::kNotFound) return Fail(text.error());
  const auto stat = text ? ParseProcessStat(*text) : std::nullopt;
  if (!stat || stat->state == 'Z' || stat->state == 'X' ||
      stat->start_time != identity.start_time) {
    return FileDescriptor();
  }
  return pidfd;
}

bool AwaitEnd(const FileDescriptor& pidfd, int timeout_ms) {
  pollfd ended{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, timeout_ms) == 1;
}

bool EndProcess(const FileDescriptor& pidfd, int timeout_ms) {
  SendSignal(pidfd, SIGKILL);
  return AwaitEnd(pidfd, timeout_ms);
}

}  // namespace jettison::process
