#pragma once

#include <cerrno>
#include <cstddef>

namespace jettison::kernel {

// Descriptors that this process reserves for ending pods, so that a pod can be ended although the
// process has reached its limit. They also serve to read a pod that cannot be read otherwise
// (KeptFiles), because another pod would be evicted in its place. Safe from any thread.
class FdReserve {
 public:
  static constexpr std::size_t kSize = 32;

  // Fills the reserve as far as the kernel allows. Returns its size. Called when the process
  // starts. EndingPods later replaces what has been spent, but never grows the reserve beyond that
  // size.
  static std::size_t Fill();
  // Enlarges the descriptor table of this process. The kernel doubles the table when it is full,
  // and a thread that opens a file then waits for every processor: 13 ms between two kills on a
  // busy machine. Called when the process starts, while it has one thread.
  static void MakeRoom();
  // Closes a reserved descriptor, so that the next open succeeds. Returns false where the reserve
  // is empty or this thread is ending no pod. Does not change errno.
  [[nodiscard]] static bool Spend();
};

// While this object lives, OpenSparing on its thread may use the reserve.
class EndingPods {
 public:
  EndingPods();
  EndingPods(const EndingPods&) = delete;
  EndingPods& operator=(const EndingPods&) = delete;
  ~EndingPods();
};

// Calls `open`, which returns a descriptor, or -1 with errno. Where no descriptor is available,
// spends one of the reserve and calls it again, until the reserve is empty.
template <typename Open>
[[nodiscard]] int OpenSparing(const Open& open) {
  for (;;) {
    const int fd = open();
    if (fd >= 0 || (errno != EMFILE && errno != ENFILE)) return fd;
    if (!FdReserve::Spend()) return fd;
  }
}

}  // namespace jettison::kernel
