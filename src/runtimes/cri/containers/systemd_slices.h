#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/units/result.h"
#include "ports/cgroups.h"

namespace jettison::cri {

// The slices of a service manager which owns the control groups. A limit persists only if the
// manager sets it, and a slice that is never stopped stays in the manager for ever. Its functions
// wait for the manager until `by` and may be called on any thread.
class Slices {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  virtual ~Slices() = default;
  // Makes a slice with these limits, or gives them to one that is there. `slice`: its name,
  // "kubepods-burstable-podu.slice".
  [[nodiscard]] virtual Result<void> Start(const std::string& slice, const CgroupLimits& limits,
                                           Deadline by) const = 0;
  // Ends a slice with everything in it; one that is not there is fine.
  [[nodiscard]] virtual Result<void> Stop(const std::string& slice, Deadline by) const = 0;
  // For a request that is made now.
  [[nodiscard]] static Deadline In5s() {
    return std::chrono::steady_clock::now() + std::chrono::seconds(5);
  }
};

// The slices of systemd, asked for over its own socket, which root may use and which needs no
// message bus. A request has a connection of its own. A slice is a transient unit, as the
// kubelet makes it. (libcontainer, cgroups/systemd/v2.go, UnifiedManager.Apply)
[[nodiscard]] std::shared_ptr<const Slices> SlicesOfSystemd(
    std::string address = "unix:path=/run/systemd/private");

}  // namespace jettison::cri
