#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/model/signal.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// The available amount of each signal at one moment; `known` says which signals were measured.
struct SignalSample {
  Instant at;
  std::array<std::int64_t, kSignalCount> available{};
  std::bitset<kSignalCount> known;
};

// The signals over the last hour: one sample for each pass, but at most one a second.
class SignalHistory {
 public:
  void Add(const Observations& observations, Instant now);
  // Oldest first.
  [[nodiscard]] std::vector<SignalSample> Samples() const {
    return {samples_.begin(), samples_.end()};
  }

 private:
  std::deque<SignalSample> samples_;
};

}  // namespace jettison
