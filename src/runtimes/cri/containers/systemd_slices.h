#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/units/result.h"
#include "kernel/readiness/readiness.h"
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

// The slices of systemd, asked for over its own socket, which root may use and which needs no
// message bus. A request has a connection of its own and 5 s; nobody waits for it.
class SystemdSlices : public Slices {
 public:
  explicit SystemdSlices(kernel::Readiness& readiness);
  ~SystemdSlices() override;

  // As the kubelet makes them: a transient unit.
  // Source: libcontainer, cgroups/systemd/v2.go, UnifiedManager.Apply.
  void Start(const std::string& slice, const CgroupLimits& limits, Done done) override;
  void Stop(const std::string& slice, Done done) override;

 private:
  class Request;
  struct Question;
  void Ask(const Question& question, const Done& done);
  void SetLimits(const std::string& slice, const CgroupLimits& limits, Done done);

  kernel::Readiness& readiness_;
  std::map<std::uint64_t, std::unique_ptr<Request>> requests_;
  std::uint64_t next_ = 0;
};

}  // namespace jettison::cri
