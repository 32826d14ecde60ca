#include "agent/kept/write_at.h"

#include <unistd.h>

#include <cerrno>

#include "ports/system_error.h"

namespace jettison {

Result<void> WriteAt(int fd, std::string_view text, std::size_t at) {
  while (!text.empty()) {
    const ssize_t n = ::pwrite(fd, text.data(), text.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailErrno("write");
    text.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::size_t>(n);
  }
  return {};
}

}  // namespace jettison
