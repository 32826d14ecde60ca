#include "kernel/procfs/own_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "kernel/groups/kept_files.h"
#include "kernel/procfs/parse.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

Duration DurationOf(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

Result<procfs::PageCounts> ReadPages(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return FailErrno("open " + path);
  return kernel::ParseKept<256>(file, path.c_str(), procfs::ParseStatm);
}

// Since Linux 6.2, the size of the directory is the number of descriptors; before that it is zero.
std::optional<std::uint64_t> OpenFilesIn(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || status.st_size <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<OwnProcess> ReadOwnProcess(const std::string& root) {
  const auto pages = ReadPages(root + "/self/statm");
  if (!pages) return Fail(pages.error());
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
