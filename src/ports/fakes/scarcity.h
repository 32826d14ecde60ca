#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstddef>

namespace jettison {

// While an object lives, this process can open `spare` more descriptors; then it gets EMFILE. With
// -1 it cannot even open one in place of another that it closes.
class ScarceDescriptors {
 public:
  explicit ScarceDescriptors(int spare = 0) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlim_t limit = 0;
    for (int unused = 0; unused <= spare; ++limit) {
      if (::fcntl(static_cast<int>(limit), F_GETFD) < 0 && unused++ == spare) break;
    }
    const rlimit scarce = {.rlim_cur = limit, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &scarce);
  }
  ScarceDescriptors(const ScarceDescriptors&) = delete;
  ScarceDescriptors& operator=(const ScarceDescriptors&) = delete;
  ~ScarceDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// While an object lives, this process cannot start a thread (EAGAIN), because the default stack is
// larger than any address space.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t attributes;
    ::pthread_getattr_default_np(&attributes);
    constexpr std::size_t kTooLarge = std::size_t{1} << 48;
    ::pthread_attr_setstacksize(&attributes, kTooLarge);
    ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;
  ~NoMoreThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_{};
};

}  // namespace jettison
