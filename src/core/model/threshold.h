#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {

// A share of a signal's capacity; 0.05 is 5%. Held as a 32-bit float because the kubelet does, and
// its rounding is part of the answer.
struct Percentage {
  float fraction = 0;
  friend bool operator==(Percentage, Percentage) = default;
};

// An absolute amount or a share of the capacity.
using ThresholdValue = std::variant<Quantity, Percentage>;

// The amount that the value stands for: itself, or its share of the capacity rounded toward zero.
// (kubelet: GetThresholdQuantity)
[[nodiscard]] Quantity QuantityOf(const ThresholdValue& value, std::int64_t capacity);

// The kubelet's own threshold on a signal.
struct KubeletLine {
  ThresholdValue value;
  Duration grace_period{0};
  friend bool operator==(const KubeletLine&, const KubeletLine&) = default;
};

// A line that pressure begins at: met while the signal is below `value`. The operator is always
// LessThan, for pressure signals too: what runs out there is time (core/model/pressure.h).
struct Threshold {
  Signal signal = Signal::kMemoryAvailable;
  ThresholdValue value;
  Duration grace_period{0};  // zero: a hard threshold
  std::optional<ThresholdValue> min_reclaim;
  // Beside a kubelet: the line from which on pods are ranked as the kubelet ranks them. While more
  // is available, only pods that exceed their request may be evicted, for resources that can be
  // requested. Absent: there is no kubelet, or none with such a signal.
  std::optional<KubeletLine> kubelet = std::nullopt;

  [[nodiscard]] bool IsHard() const { return grace_period == Duration::zero(); }
  friend bool operator==(const Threshold&, const Threshold&) = default;
};

// Whether the threshold is met whatever is free: its value is not below the capacity of the signal.
[[nodiscard]] bool IsAlwaysMet(const Threshold& threshold, std::int64_t capacity);

// At least as many thresholds as any configuration can hold, which is 37: nine signals of the
// kubelet, eight of pressure and swap, hard and soft, and the allocatable copy of a hard one.
inline constexpr std::size_t kMaxThresholds = 38;

// Which file systems are one and which are several.
struct DiskLayout {
  bool dedicated_image_fs = false;      // images live on another file system than the node's files
  bool dedicated_container_fs = false;  // writable layers are apart from the images (split)
  friend bool operator==(DiskLayout, DiskLayout) = default;
};

// Everything that configures eviction, parsed and checked.
struct EvictionPolicy {
  std::vector<Threshold> thresholds;  // as configured, containerfs.* not yet replaced
  Duration pressure_transition_period = std::chrono::minutes(5);
  std::int64_t max_pod_grace_period_seconds = 0;
  bool local_storage_capacity_isolation = true;
};

}  // namespace jettison
