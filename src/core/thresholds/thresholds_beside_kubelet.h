#pragma once

#include <bitset>
#include <optional>
#include <vector>

#include "core/model/fault.h"
#include "core/model/signal.h"
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
  // Returns faults of the thresholds that do not lie above the kubelet's as is known only by the
  // capacities; whoever reads a configuration does not have them.
  [[nodiscard]] Faults Set(std::vector<Threshold> ours,
                           std::optional<std::vector<Threshold>> theirs);

  // Our thresholds that may be used, in their order.
  [[nodiscard]] std::vector<Threshold> Usable() const;
  // Whether a comparison depends on a capacity: an amount is compared with a percentage.
  [[nodiscard]] bool NeedsCapacities() const { return of_capacity_.any(); }

  struct Learned {
    bool usable_changed = false;  // other thresholds may be used than before
    Faults faults;                // of those that turn out not to lie above the kubelet's
  };
  // Takes the capacities as they are now. Allocates nothing if no comparison has another result.
  [[nodiscard]] Learned Learn(const SignalCapacities& capacities);

 private:
  // Takes them, and returns whether one has changed that a comparison depends on.
  bool TakeCapacities(const SignalCapacities& capacities);

  std::vector<Threshold> ours_;
  std::optional<std::vector<Threshold>> theirs_;
  SignalCapacities capacities_;
  std::bitset<kSignalCount> of_capacity_;  // signals of which a comparison depends on the capacity
};

}  // namespace jettison
