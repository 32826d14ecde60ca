#include "core/model/profile.h"

namespace jettison {

std::string_view NameOf(Profile profile) {
  switch (profile) {
    case Profile::kKubelet: return "kubelet";
    case Profile::kStandalone: return "standalone";
  }
  __builtin_unreachable();
}

std::optional<Profile> ProfileNamed(std::string_view name) {
  for (Profile profile : {Profile::kKubelet, Profile::kStandalone}) {
    if (NameOf(profile) == name) return profile;
  }
  return std::nullopt;
}

}  // namespace jettison
