#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ports/container_runtime.h"

namespace jettison {

// What a runtime has under a UID.
enum class UidClaim : std::uint8_t {
  kNone,     // nothing
  kRemains,  // the remains of a pod, which are being removed
  kPod,      // a pod
};

// A runtime that can be combined with foreign pods. It reports only its own pods.
class OwnRuntime : public ContainerRuntime {
 public:
  [[nodiscard]] virtual UidClaim ClaimOn(const std::string& uid) const = 0;
  // Sets what is called when the runtime has a pod of a UID from now on: a foreign pod that is
  // looked after under it is found again under another.
  virtual void OnTaken(std::function<void(const std::string& uid)> taken) = 0;
};

}  // namespace jettison
