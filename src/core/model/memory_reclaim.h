#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jettison {

// From which groups the kernel is asked to reclaim memory before a pod is evicted for it.
enum class MemoryReclaim : std::uint8_t {
  kOff,   // from none
  kDead,  // from groups without a process
  kIdle,  // then also from pods that hardly run
};
// "off", "dead", "idle".
[[nodiscard]] constexpr std::string_view NameOf(MemoryReclaim reclaim) {
  switch (reclaim) {
    case MemoryReclaim::kOff: return "off";
    case MemoryReclaim::kDead: return "dead";
    case MemoryReclaim::kIdle: return "idle";
  }
  __builtin_unreachable();
}

// What was taken from one group, as its usage before and after says.
struct ReclaimedMemory {
  MemoryReclaim step = MemoryReclaim::kDead;  // kDead or kIdle
  std::string group;                          // from the node's own group
  std::uint64_t bytes = 0;
  friend bool operator==(const ReclaimedMemory&, const ReclaimedMemory&) = default;
};

}  // namespace jettison
