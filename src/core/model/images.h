#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units/duration.h"

namespace jettison {

// What the agent remembers of an image between collections.
struct ImageRecord {
  std::string id;
  std::uint64_t size_bytes = 0;
  Instant first_detected;
  std::optional<Instant> last_used;  // absent: never seen in use
  bool in_use = false;
  bool pinned = false;
  friend bool operator==(const ImageRecord&, const ImageRecord&) = default;
};

// imageGC* fields of KubeletConfiguration.
struct ImageGcPolicy {
  int high_threshold_percent = 85;  // collection starts at this use of the image file system
  int low_threshold_percent = 80;   // and frees down to this
  Duration min_age = std::chrono::minutes(2);
  Duration max_age{0};  // zero: images never grow too old
  friend bool operator==(const ImageGcPolicy&, const ImageGcPolicy&) = default;
};

// How many dead containers are kept; negative means unlimited.
struct ContainerGcPolicy {
  Duration min_age{0};
  int max_per_pod_container = 1;
  int max_containers = -1;
};

}  // namespace jettison
