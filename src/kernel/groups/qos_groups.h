#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/cgroup_driver.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/pod_plan.h"

namespace jettison::kernel {

// The groups of burstable and best-effort pods, by their CPU shares: best-effort pods get what
// nobody asked for; burstable pods share what those of that class ask for together. Makes the
// groups that are missing. Source: kubelet, qosContainerManagerImpl.setCPUCgroupConfig.
class QosGroups {
 public:
  using OnFailure = std::function<void(const Error&)>;

  // `cgroups` must outlive this. `failed` is told of the first error when shares were set.
  QosGroups(Cgroups& cgroups, CgroupDriver driver, OnFailure failed)
      : cgroups_(cgroups), driver_(driver), failed_(std::move(failed)) {}

  // These are there, too, from now on.
  void Add(const std::vector<const PodPlan*>& pods);
  // This one is about to go: it counts no more when shares are set the next time.
  void Leave(std::string_view uid);
  // It is gone; one that was never there is fine.
  void Remove(std::string_view uid);
  // What was set last; empty before the first pod.
  [[nodiscard]] const std::vector<GroupLimits>& limits() const { return limits_; }

 private:
  void SetShares();

  Cgroups& cgroups_;
  CgroupDriver driver_;
  OnFailure failed_;
  std::map<std::string, std::int64_t, std::less<>> milli_cpu_;  // of burstable pods, 0 of others
  std::vector<GroupLimits> limits_;
};

}  // namespace jettison::kernel
