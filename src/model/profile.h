#pragma once

#include <cstdint>

namespace jettison {

// Whose rules protect a pod from eviction.
enum class Profile : std::uint8_t {
  kKubelet,     // static and mirror pods and those of priority >= 2000000000 are critical
  kStandalone,  // only priority >= 2000000000 protects; manifest pods are ordinary pods
};

}  // namespace jettison
