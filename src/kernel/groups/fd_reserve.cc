#include "kernel/groups/fd_reserve.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "ports/file_descriptor.h"

namespace jettison::kernel {
namespace {

// Of a fixed size, so that nothing is allocated when memory is short.
struct Reserve {
  std::mutex mutex;
  std::array<int, FdReserve::kSize> fds{};  // the first `count`
  std::size_t count = 0;
  std::size_t filled = 0;  // how many there should be; used ones are replaced
};

Reserve& OfThisProcess() {
  static Reserve reserve;
  return reserve;
}

thread_local int ending = 0;

// Each is a separate open file: a duplicate would not free an entry in the system's table of files.
void FillTo(std::size_t size, Reserve& reserve) {
  while (reserve.count < size) {
    const int fd = ::open("/", O_PATH | O_CLOEXEC);
    if (fd < 0) break;
    reserve.fds[reserve.count++] = fd;
  }
}

}  // namespace

std::size_t FdReserve::Fill() {
  Reserve& reserve = OfThisProcess();
  const std::lock_guard lock(reserve.mutex);
  FillTo(kSize, reserve);
  reserve.filled = reserve.count;
  return reserve.count;
}

// The table never gets smaller. It takes eight bytes a descriptor, which is as much as a few pods
// take.
void FdReserve::MakeRoom() {
  constexpr rlim_t kRoom = 8192;
  rlimit most{};
  if (::getrlimit(RLIMIT_NOFILE, &most) != 0) return;
  const auto last = static_cast<int>(std::min(kRoom, most.rlim_cur)) - 1;
  const FileDescriptor any(::open("/", O_PATH | O_CLOEXEC));
  const FileDescriptor highest(::fcntl(any.get(), F_DUPFD_CLOEXEC, last));
}

bool FdReserve::Spend() {
  if (ending == 0) return false;
  const int error = errno;
  Reserve& reserve = OfThisProcess();
  const std::lock_guard lock(reserve.mutex);
  const bool any = reserve.count > 0;
  if (any) ::close(reserve.fds[--reserve.count]);
  errno = error;
  return any;
}

EndingPods::EndingPods() {
  ++ending;
}

EndingPods::~EndingPods() {
  if (--ending > 0) return;
  const int error = errno;
  {
    Reserve& reserve = OfThisProcess();
    const std::lock_guard lock(reserve.mutex);
    FillTo(reserve.filled, reserve);
  }
  errno = error;
}

}  // namespace jettison::kernel
