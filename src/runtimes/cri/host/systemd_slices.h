#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "kernel/readiness/readiness.h"
#include "runtimes/cri/host/slices.h"

namespace jettison::cri {

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
