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
[[nodiscard]] std::string_view NameOf(Profile profile);
[[nodiscard]] std::optional<Profile> ProfileNamed(std::string_view name);

}  // namespace jettison
