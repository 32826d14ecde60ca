#pragma once

#include <cstdint>
#include <string>

#include "ports/container_runtime.h"

namespace jettison {

// What a UID is to a runtime's own pods.
enum class UidClaim : std::uint8_t {
  kNone,     // nothing
  kRemains,  // of what is left of a pod, which is being taken down
  kUnread,   // of a pod of this agent that cannot be read
  kPod,      // of a pod that it has
};

// Foreign pods beside a runtime's own, as far as the runtime has to know.
class OtherPods {
 public:
  virtual ~OtherPods() = default;

  // Whether the pod of this UID was told to end; false where there is none.
  [[nodiscard]] virtual bool IsEnding(const std::string& uid) const = 0;
  // The runtime has a pod of this UID from now on: one that is looked after under it is found again
  // under another.
  virtual void Forget(const std::string& uid) = 0;
};

// A runtime beside which foreign pods can be looked after. It knows its own alone, those that
// cannot be read included; it tells of none but those that can.
class OwnRuntime : public ContainerRuntime {
 public:
  [[nodiscard]] virtual UidClaim ClaimOn(const std::string& uid) const = 0;
  // Who is asked and told from now on; must outlive the next call of this, and the runtime.
  virtual void SetOthers(OtherPods& others) = 0;
};

}  // namespace jettison
