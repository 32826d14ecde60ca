#include "kernel/files/await_lock.h"

#include <sys/file.h>

#include <cerrno>
#include <ctime>

namespace jettison::kernel {
namespace {

constexpr int kTries = 100;
constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 10'000'000};

}  // namespace

bool AwaitLock(int file, const std::function<void()>& pause) {
  for (int tries = 1;; ++tries) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    if ((errno != EWOULDBLOCK && errno != EINTR) || tries == kTries) return false;
    if (pause) {
      pause();
    } else {
      ::nanosleep(&kPause, nullptr);
    }
  }
}

}  // namespace jettison::kernel
