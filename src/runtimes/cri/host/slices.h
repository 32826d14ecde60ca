#pragma once

#include <functional>
#include <string>

#include "core/units/result.h"
#include "ports/cgroups.h"

namespace jettison::cri {

// The slices of a service manager which owns the control groups. A limit persists only if the
// manager sets it, and a slice that is never stopped stays in the manager for ever.
class Slices {
 public:
  using Done = std::function<void(Result<void>)>;

  virtual ~Slices() = default;
  // Makes a slice with these limits, or gives them to one that is there. `slice`: its name,
  // "kubepods-burstable-podu.slice". `done` is called once, unless this is destroyed before; it may
  // be called before this returns.
  virtual void Start(const std::string& slice, const CgroupLimits& limits, Done done) = 0;
  // Ends a slice with everything in it; one that is not there is fine. `done` as above.
  virtual void Stop(const std::string& slice, Done done) = 0;
};

}  // namespace jettison::cri
