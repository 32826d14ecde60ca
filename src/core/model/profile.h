#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jettison {

// Which pods are critical. `kubelet`: static pods are, as in a cluster, where they run the control
// plane; a replay uses this. `standalone`: only the priority of a pod makes it critical, because
// all pods come from the manifest directory.
enum class Profile : std::uint8_t { kKubelet, kStandalone };

// "kubelet", "standalone".
[[nodiscard]] constexpr std::string_view NameOf(Profile profile) {
  switch (profile) {
    case Profile::kKubelet: return "kubelet";
    case Profile::kStandalone: return "standalone";
  }
  __builtin_unreachable();
}

[[nodiscard]] constexpr std::optional<Profile> ProfileNamed(std::string_view name) {
  for (const Profile profile : {Profile::kKubelet, Profile::kStandalone}) {
    if (NameOf(profile) == name) return profile;
  }
  return std::nullopt;
}

}  // namespace jettison
