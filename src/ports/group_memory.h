#pragma once

#include <cstdint>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// Reclaims memory from control groups. A group's name is relative to the node's own group.
class GroupMemory {
 public:
  virtual ~GroupMemory() = default;
  // Asks the kernel to reclaim about `bytes` and returns when it has tried, which may take a while.
  // The group's usage shows how much was reclaimed. kUnavailable: the kernel has no interface for
  // it; kNotFound: there is no such group.
  [[nodiscard]] virtual Result<void> Take(std::string_view group, std::uint64_t bytes) = 0;
  // CPU time that the group and the groups below it have used so far, in microseconds.
  [[nodiscard]] virtual Result<std::uint64_t> CpuTimeUs(std::string_view group) = 0;
};

}  // namespace jettison
