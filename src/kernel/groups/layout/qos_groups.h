#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/choices.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/pod_plan.h"

namespace jettison::kernel {

// Maintains the groups of burstable and best-effort pods and their CPU shares. The best-effort
// group gets the minimum; the burstable group gets the sum of the CPU requests of its pods. Missing
// groups are created. Source: kubelet, qosContainerManagerImpl.setCPUCgroupConfig.
class QosGroups {
 public:
  using OnFailure = std::function<void(const Error&)>;

  // `cgroups` must outlive this. `failed` receives the first error each time that setting the
  // shares fails.
  QosGroups(Cgroups& cgroups, CgroupDriver driver, OnFailure failed)
      : cgroups_(cgroups), driver_(driver), failed_(std::move(failed)) {}

  // Adds pods and sets the shares.
  void Add(const std::vector<const PodPlan*>& pods);
  // The pod is being removed: its requests no longer count when the shares are set the next time.
  void Leave(std::string_view uid);
  // Removes a pod and sets the shares. An unknown pod is ignored.
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
