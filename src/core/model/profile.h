#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jettison {

// Whose idea of a protected pod is followed. `kubelet`: static pods are critical, as in a cluster,
// where they carry the control plane; what a replay uses. `standalone`: pods from the manifest
// directory are ordinary ones, because there is no other source of pods; only a priority protects.
enum class Profile : std::uint8_t { kKubelet, kStandalone };

// "kubelet", "standalone".
[[nodiscard]] std::string_view NameOf(Profile profile);
[[nodiscard]] std::optional<Profile> ProfileNamed(std::string_view name);

}  // namespace jettison
