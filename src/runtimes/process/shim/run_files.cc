#include "runtimes/process/shim/run_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtimes/process/shim/protocol.h"

namespace jettison::shim {
namespace {

constexpr std::size_t kDraftBytes = 512;

bool WriteAt(int fd, const char* data, std::size_t size) {
  return pwrite(fd, data, size, 0) == static_cast<ssize_t>(size);
}

// snprintf's result as a size within the buffer.
std::size_t Within(int printed, std::size_t capacity) {
  if (printed < 0) return 0;
  const auto size = static_cast<std::size_t>(printed);
  return size < capacity ? size : capacity - 1;
}

}  // namespace

bool RunFiles::Open(const char* run_dir) {
  what_ = run_dir;
  dir_fd_ = open(run_dir, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (dir_fd_ < 0) return false;
  what_ = kExitDraftFile;
  draft_fd_ =
      openat(dir_fd_, kExitDraftFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  char blank[kDraftBytes];
  std::memset(blank, '\n', sizeof(blank));
  return draft_fd_ >= 0 && WriteAt(draft_fd_, blank, sizeof(blank));
}

bool RunFiles::WriteRunning(const Order& order, pid_t container, std::int64_t now_ns) {
  what_ = kRunningFile;
  char text[kDraftBytes];
  const std::size_t size =
      Within(std::snprintf(text, sizeof(text),
                           "jettison run 1\nshim %d %llu\ncontainer %d\nboot %s\ncreated %lld\n"
                           "oom_kills %lld\n",
                           getpid(), StartTimeOfSelf(), container, order.boot_id,
                           static_cast<long long>(now_ns), static_cast<long long>(order.oom_kills)),
             sizeof(text));
  // Another agent may read the file at any moment, so it is complete when it gets its name.
  const int fd = openat(dir_fd_, kRunningDraftFile,
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  const bool written = WriteAt(fd, text, size);
  close(fd);
  return written && renameat(dir_fd_, kRunningDraftFile, dir_fd_, kRunningFile) == 0;
}

bool RunFiles::WriteExit(const Ending& ending) {
  what_ = kExitFile;
  char text[kDraftBytes];
  const std::size_t size =
      Within(std::snprintf(text, sizeof(text),
                           "jettison exit 1\noutcome %s\ncode %d\nsignal %d\nstarted %lld\n"
                           "finished %lld\nlost_log_bytes %lld\n",
                           ending.failed ? "failed" : "exited", ending.code, ending.signal,
                           static_cast<long long>(ending.started_ns),
                           static_cast<long long>(ending.finished_ns),
                           static_cast<long long>(ending.lost_log_bytes)),
             sizeof(text));
  return WriteAt(draft_fd_, text, size) && ftruncate(draft_fd_, static_cast<off_t>(size)) == 0 &&
         renameat(dir_fd_, kExitDraftFile, dir_fd_, kExitFile) == 0;
}

unsigned long long StartTimeOfSelf() {
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  const ssize_t size = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (size <= 0) return 0;
  text[size] = '\0';
  // The command's name (field 2) may contain anything, so fields are counted from the last
  // parenthesis.
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

}  // namespace jettison::shim
