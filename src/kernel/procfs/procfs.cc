#include "kernel/procfs/procfs.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/groups/open_files.h"
#include "kernel/procfs/parse.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// The whole text in one read; /proc/meminfo takes 1.5 KiB on Linux 6.18.
using Buffer = std::array<char, 8192>;

template <typename T, typename File>
Result<T> Read(const File& file, Result<T> (*parse)(std::string_view)) {
  return kernel::ParseKept<sizeof(Buffer)>(file.fd, file.path.c_str(), parse);
}

Duration DurationOf(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// Since Linux 6.2, the size of the directory is the number of descriptors; before that it is zero.
std::optional<std::uint64_t> OpenFilesIn(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || status.st_size <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<Procfs::File> Procfs::OpenFile(const std::string& path) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return FailErrno("open " + path);
  return File{path, std::move(fd)};
}

Result<Procfs> Procfs::Open(const std::string& root) {
  Procfs opened;
  const std::array<std::pair<File*, const char*>, 4> files = {{
      {&opened.meminfo_, "/meminfo"},
      {&opened.loadavg_, "/loadavg"},
      {&opened.pid_max_, "/sys/kernel/pid_max"},
      {&opened.threads_max_, "/sys/kernel/threads-max"},
  }};
  for (const auto& [file, name] : files) {
    auto one = OpenFile(root + name);
    if (!one) return Fail(one.error());
    *file = std::move(*one);
  }
  if (auto zoneinfo = OpenFile(root + "/zoneinfo")) opened.zoneinfo_ = std::move(zoneinfo->fd);
  return opened;
}

Result<procfs::MachineMemory> Procfs::ReadMemory() const {
  return Read(meminfo_, &procfs::ParseMemInfo);
}

// Its length grows with the processors, so it is read in pieces.
std::uint64_t Procfs::ReadListed() const {
  Buffer buffer;         // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  std::size_t kept = 0;  // the beginning of a line
  off_t at = 0;
  std::uint64_t pages = 0;
  while (zoneinfo_ && kept < buffer.size()) {
    const ssize_t count = ::pread(zoneinfo_.get(), buffer.data() + kept, buffer.size() - kept, at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    at += count;
    const std::string_view text(buffer.data(), kept + static_cast<std::size_t>(count));
    const std::size_t whole = text.rfind('\n') + 1;  // 0 where there is none
    pages += procfs::ParseListedPages(text.substr(0, whole));
    kept = text.size() - whole;
    std::memmove(buffer.data(), buffer.data() + whole, kept);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Result<RlimitStats> Procfs::ReadRlimit() const {
  const auto tasks = Read(loadavg_, &procfs::ParseTaskCount);
  if (!tasks) return Fail(tasks.error());
  const auto pids = Read(pid_max_, &procfs::ParsePidLimit);
  if (!pids) return Fail(pids.error());
  const auto threads = Read(threads_max_, &procfs::ParsePidLimit);
  if (!threads) return Fail(threads.error());
  return RlimitStats{.time = std::nullopt, .max_pid = std::min(*pids, *threads), .running = *tasks};
}

Result<OwnProcess> ReadOwnProcess(const std::string& root) {
  const auto pages = kernel::ReadFile(root + "/self/statm").and_then(procfs::ParseStatm);
  if (!pages) return Fail(pages.error().In("statm"));
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return FailErrno("getrusage");
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  OwnProcess process{.cpu = DurationOf(usage.ru_utime) + DurationOf(usage.ru_stime),
                     .resident_bytes = pages->resident * page,
                     .virtual_bytes = pages->all * page,
                     .open_fds = OpenFilesIn(root + "/self/fd")};
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    process.max_fds = files.rlim_cur;
  }
  return process;
}

}  // namespace jettison
