#pragma once

#include <algorithm>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// How long somebody whose disk is short waits for pods' files to be measured. Within it ordinary
// walks are back; in ten of it a writer of 200 MiB/s fills what a threshold of 5 GiB has left.
inline constexpr Duration kDiskUsePatience = std::chrono::seconds(3);

// Whether somebody would have to go for a disk, and waits for pods' files to be measured.
class DiskDemand {
 public:
  // Somebody would have to; it counts from the first time on.
  void Raise(Instant now) {
    if (!since_) since_ = now;
  }
  // Figures that cannot be read for a moment are waited for until then, where that is longer.
  void ExtendTo(Instant until) { extended_to_ = until; }
  // Nobody has to any more.
  void Drop() {
    since_.reset();
    extended_to_.reset();
  }

  // A pass did for the disk what can be done without those figures.
  void PassedWithout(Instant now) { passed_at_ = now; }
  // Whether the last of these was less than so long ago.
  [[nodiscard]] bool PassedWithin(Duration time, Instant now) const {
    return passed_at_ && now < *passed_at_ + time;
  }

  [[nodiscard]] bool raised() const { return since_.has_value(); }
  // When the walk is waited for no longer; absent: nobody waits.
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
