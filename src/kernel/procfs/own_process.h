#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// What the calling process itself takes up.
struct OwnProcess {
  Duration cpu{0};  // of all its threads, in the kernel too
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::optional<std::uint64_t> open_fds;  // absent where the kernel does not count them (below 6.2)
  std::optional<std::uint64_t> max_fds;   // the soft limit; absent: none
};

// Costs a few system calls, however much the process has open. Safe from any thread. `root`: where
// proc is mounted.
[[nodiscard]] Result<OwnProcess> ReadOwnProcess(const std::string& root = "/proc");

}  // namespace jettison
