#pragma once

#include <cerrno>
#include <cstddef>

namespace jettison::kernel {

// Descriptors that this process keeps back for ending pods: whoever has used up all that it may
// have must not keep a pod alive by that. A pod that could not be read otherwise is read with them
// (KeptFiles), lest another one is evicted for it. On any thread.
class FdReserve {
 public:
  static constexpr std::size_t kSize = 32;

  // Opens those that are missing, as far as the kernel lets it; how many there are then. Called
  // when the process starts; EndingPods puts back what has been spent of them, and takes no more.
  static std::size_t Fill();
  // Has the kernel make room for many descriptors in the table of this process. It makes it twice
  // as large whenever it is full, for which whoever opens something waits for all processors: 13 ms
  // between two kills on a busy machine. Called when the process starts, with its first thread.
  static void MakeRoom();
  // Closes one, so that whoever opens something next gets it. False, with errno as it was, where
  // none is left, or this thread ends no pod now.
  [[nodiscard]] static bool Spend();
};

// While it lives, what its thread opens with OpenSparing may take from the reserve.
class EndingPods {
 public:
  EndingPods();
  EndingPods(const EndingPods&) = delete;
  EndingPods& operator=(const EndingPods&) = delete;
  ~EndingPods();
};

// Calls `open`, which returns a descriptor or -1 with errno, again as long as there is no
// descriptor to be had and the reserve has some.
template <typename Open>
[[nodiscard]] int OpenSparing(const Open& open) {
  for (;;) {
    const int fd = open();
    if (fd >= 0 || (errno != EMFILE && errno != ENFILE)) return fd;
    if (!FdReserve::Spend()) return fd;
  }
}

}  // namespace jettison::kernel
