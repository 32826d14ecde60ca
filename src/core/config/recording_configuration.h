#pragma once

#include <cstdint>

#include "core/thresholds/fields.h"
#include "core/units/duration.h"

namespace jettison {

// What the agent writes down of its passes, and for how long: `recording` of JettisonConfiguration.
struct RecordingConfig {
  bool enabled = true;
  std::int64_t max_bytes = std::int64_t{64} << 20;  // of all files together
  Duration max_age = std::chrono::hours(24 * 14);
  friend bool operator==(const RecordingConfig&, const RecordingConfig&) = default;
};

// Reads the members of `recording`; every fault is noted.
[[nodiscard]] RecordingConfig ReadRecordingConfiguration(const Fields& recording);

}  // namespace jettison
