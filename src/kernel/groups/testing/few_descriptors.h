#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include <vector>

#include "ports/file_descriptor.h"

namespace jettison::kernel {

// While it lives, this process may have only so many descriptors more than it has.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    int end = 0;
    for (rlim_t left = more; left > 0; ++end) left -= ::fcntl(end, F_GETFD) < 0 ? 1 : 0;
    const rlimit few = {.rlim_cur = static_cast<rlim_t>(end), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  // Takes all that are left.
  void TakeAll() {
    for (;;) {
      FileDescriptor fd(::open("/", O_PATH | O_CLOEXEC));
      if (!fd) return;
      taken_.push_back(std::move(fd));
    }
  }

 private:
  rlimit before_{};
  std::vector<FileDescriptor> taken_;
};

}  // namespace jettison::kernel
