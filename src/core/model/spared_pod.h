#pragma once

#include <string>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

// A pod that is not evicted for a soft threshold until `until`. Hard thresholds ignore this.
struct SparedPod {
  std::string uid;
  std::string why;  // in the words of who spares it
  Instant until;
  friend bool operator==(const SparedPod&, const SparedPod&) = default;
};

// The soft evictions so far, as far as they delay or prevent the next ones.
struct SoftEvictionsSoFar {
  std::vector<Instant> granted;  // within the last hour, oldest first
  std::vector<SparedPod> spared;
  friend bool operator==(const SoftEvictionsSoFar&, const SoftEvictionsSoFar&) = default;
};

}  // namespace jettison
