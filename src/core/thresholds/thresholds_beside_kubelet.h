#pragma once

#include <optional>
#include <vector>

#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/thresholds/kubelet_order.h"

namespace jettison {

// Which of our thresholds may be evicted by while a kubelet has its own: those that are known to
// lie above. One that cannot be compared yet is not evicted by, and is once the capacity of its
// signal has been observed.
class ThresholdsBesideKubelet {
 public:
  ThresholdsBesideKubelet() = default;

  // `theirs` absent: there is no kubelet, or nothing is known of it, and ours are not compared.
  void Set(std::vector<Threshold> ours, std::optional<std::vector<Threshold>> theirs);

  // Ours that may be evicted by, in their order.
  [[nodiscard]] std::vector<Threshold> Usable() const;
  // Whether a capacity is missing that decides.
  [[nodiscard]] bool AwaitsCapacities() const;
  // Takes capacities in, those that are known by now. What is returned are the faults of thresholds
  // that turn out not to lie above.
  [[nodiscard]] Faults Learn(const SignalCapacities& capacities);

 private:
  std::vector<Threshold> ours_;
  std::optional<std::vector<Threshold>> theirs_;
  SignalCapacities capacities_;
};

}  // namespace jettison
