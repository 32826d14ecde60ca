#pragma once

#include <optional>
#include <vector>

#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/thresholds/kubelet_order.h"

namespace jettison {

// Our thresholds that may be used beside a kubelet: those that are known to lie above the
// kubelet's. A threshold that cannot be compared yet is not used until the capacity of its signal
// has been observed.
class ThresholdsBesideKubelet {
 public:
  ThresholdsBesideKubelet() = default;

  // `theirs` absent: there is no kubelet, or nothing is known of it, and ours are not compared.
  void Set(std::vector<Threshold> ours, std::optional<std::vector<Threshold>> theirs);

  // Our thresholds that may be used, in their order.
  [[nodiscard]] std::vector<Threshold> Usable() const;
  // Whether a comparison still lacks a capacity.
  [[nodiscard]] bool AwaitsCapacities() const;
  // Takes the capacities that are known by now. Returns faults of the thresholds that turn out not
  // to lie above the kubelet's.
  [[nodiscard]] Faults Learn(const SignalCapacities& capacities);

 private:
  std::vector<Threshold> ours_;
  std::optional<std::vector<Threshold>> theirs_;
  SignalCapacities capacities_;
};

}  // namespace jettison
