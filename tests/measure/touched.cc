// Linked into a program that was compiled with -finstrument-functions (scripts/run-order.sh): notes
// which functions are called, and at the end writes their addresses, one a line in hexadecimal, to
// the file $JETTISON_TOUCHED.PID, where PID is the process. Without that variable it writes
// nothing.

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define JETTISON_NOT_NOTED __attribute__((no_instrument_function))

namespace {

constexpr std::size_t kPlaces = std::size_t{1} << 17;  // four times what the program has
std::array<std::atomic<std::uintptr_t>, kPlaces> touched;

JETTISON_NOT_NOTED void WriteTouched() {
  const char* const prefix = std::getenv("JETTISON_TOUCHED");
  if (prefix == nullptr) return;
  char path[4096];
  std::snprintf(path, sizeof path, "%s.%d", prefix, static_cast<int>(::getpid()));
  std::FILE* const file = std::fopen(path, "we");
  if (file == nullptr) return;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const std::uintptr_t function = touched[i].load(std::memory_order_relaxed);
    if (function != 0) std::fprintf(file, "%lx\n", static_cast<unsigned long>(function));
  }
  std::fclose(file);
}

}  // namespace

extern "C" {

JETTISON_NOT_NOTED void __cyg_profile_func_enter(void* function, void* /*caller*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  for (std::size_t i = (address >> 4) % kPlaces;; i = (i + 1) % kPlaces) {
    std::uintptr_t at = touched[i].load(std::memory_order_relaxed);
    if (at == address) return;
    if (at != 0) continue;
    if (touched[i].compare_exchange_strong(at, address, std::memory_order_relaxed)) return;
    if (at == address) return;
  }
}

JETTISON_NOT_NOTED void __cyg_profile_func_exit(void* /*function*/, void* /*caller*/) {}

JETTISON_NOT_NOTED __attribute__((destructor)) void JettisonWriteTouched() {
  WriteTouched();
}
}
