#pragma once

#include <string>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

// A pod that goes for no soft threshold until then. A hard one does not ask.
struct SparedPod {
  std::string uid;
  std::string why;  // in the words of who spares it
  Instant until;
  friend bool operator==(const SparedPod&, const SparedPod&) = default;
};

// What has been asked and answered for soft thresholds, as far as it holds back what comes.
struct SoftEvictionsSoFar {
  std::vector<Instant> granted;  // within the last hour, oldest first
  std::vector<SparedPod> spared;
  friend bool operator==(const SoftEvictionsSoFar&, const SoftEvictionsSoFar&) = default;
};

}  // namespace jettison
