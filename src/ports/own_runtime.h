#pragma once

#include <cstdint>
#include <string>

#include "ports/container_runtime.h"

namespace jettison {

// What a runtime has under a UID.
enum class UidClaim : std::uint8_t {
  kNone,     // nothing
  kRemains,  // the remains of a pod, which are being removed
  kPod,      // a pod
};

// The foreign pods on the node, as far as a runtime has to know about them.
class OtherPods {
 public:
  virtual ~OtherPods() = default;

  // The runtime has a pod of this UID from now on: one that is looked after under it is found again
  // under another.
  virtual void Forget(const std::string& uid) = 0;
};

// A runtime that can be combined with foreign pods. It reports only its own pods.
class OwnRuntime : public ContainerRuntime {
 public:
  [[nodiscard]] virtual UidClaim ClaimOn(const std::string& uid) const = 0;
  // Sets the foreign pods. `others` must outlive the runtime, or the next call of this function.
  virtual void SetOthers(OtherPods& others) = 0;
};

}  // namespace jettison
