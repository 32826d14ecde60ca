#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// How long a decision for a disk waits for the measurement of pods' files. Ordinary walks end
// within this time. A pod that writes 200 MiB/s needs about ten times as long to fill the 5 GiB
// that a threshold leaves.
inline constexpr Duration kDiskUsePatience = std::chrono::seconds(3);

// Whether an eviction for a disk is needed and waits for the measurement of pods' files.
class DiskDemand {
 public:
  // An eviction is needed. The wait starts with the first call.
  void Raise(Instant now) {
    if (!since_) since_ = now;
  }
  // Extends the wait for pods whose files could not be read.
  void ExtendTo(Instant until) { extended_to_ = until; }
  // No eviction is needed any more.
  void Drop() {
    since_.reset();
    extended_to_.reset();
  }

  // A pass did what can be done for the disk without these figures.
  void PassedWithout(Instant now) { passed_at_ = now; }
  // Whether the last such pass was less than `time` ago.
  [[nodiscard]] bool PassedWithin(Duration time, Instant now) const {
    return passed_at_ && now < *passed_at_ + time;
  }

  [[nodiscard]] bool raised() const { return since_.has_value(); }
  // When the wait for the walk ends; absent: no decision waits.
  [[nodiscard]] std::optional<Instant> GivesUpAt() const {
    if (!since_) return std::nullopt;
    return std::max(*since_ + kDiskUsePatience, extended_to_.value_or(*since_));
  }
  [[nodiscard]] bool HasGivenUp(Instant now) const { return since_ && *GivesUpAt() <= now; }

 private:
  std::optional<Instant> since_;
  std::optional<Instant> extended_to_;
  std::optional<Instant> passed_at_;
};

}  // namespace jettison
