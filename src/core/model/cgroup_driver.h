#pragma once

#include <cstdint>
#include <string_view>

namespace jettison {

// How the groups of pods are named: by plain paths, or as systemd names its slices and scopes.
enum class CgroupDriver : std::uint8_t { kCgroupfs, kSystemd };

// As KubeletConfiguration has it: "cgroupfs", "systemd".
[[nodiscard]] constexpr std::string_view NameOf(CgroupDriver driver) {
  return driver == CgroupDriver::kSystemd ? "systemd" : "cgroupfs";
}

}  // namespace jettison
