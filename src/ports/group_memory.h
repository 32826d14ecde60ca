#pragma once

#include <cstdint>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// Takes memory back from control groups, named from the node's own group.
class GroupMemory {
 public:
  virtual ~GroupMemory() = default;
  // Asks for about so many bytes and returns when the kernel has tried, which may take a while: how
  // much it took shows in the group's usage. kUnavailable where it has no means to, kNotFound where
  // there is no such group.
  [[nodiscard]] virtual Result<void> Take(std::string_view group, std::uint64_t bytes) = 0;
  // CPU time that the group and those below it have used so far, in microseconds.
  [[nodiscard]] virtual Result<std::uint64_t> CpuTimeUs(std::string_view group) = 0;
};

}  // namespace jettison
