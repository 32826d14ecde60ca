#pragma once

#include <memory>
#include <string>

#include "core/units/result.h"
#include "ports/cgroups.h"

namespace jettison::cri {

// The slices of a service manager which owns the control groups. A limit persists only if the
// manager sets it, and a slice that is never stopped stays in the manager for ever. Its functions
// wait for the manager and may be called on any thread.
class Slices {
 public:
  virtual ~Slices() = default;
  // Makes a slice with these limits, or gives them to one that is there. `slice`: its name,
  // "kubepods-burstable-podu.slice".
  [[nodiscard]] virtual Result<void> Start(const std::string& slice,
                                           const CgroupLimits& limits) const = 0;
  // Ends a slice with everything in it; one that is not there is fine.
  [[nodiscard]] virtual Result<void> Stop(const std::string& slice) const = 0;
};

// The slices of systemd, asked for over its own socket, which root may use and which needs no
// message bus. A request has a connection of its own and 5 s. A slice is a transient unit, as the
// kubelet makes it. (libcontainer, cgroups/systemd/v2.go, UnifiedManager.Apply)
[[nodiscard]] std::shared_ptr<const Slices> SlicesOfSystemd();

}  // namespace jettison::cri
