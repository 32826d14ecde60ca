#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/signal.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// What a pod holds at a moment.
struct PodAmount {
  std::uint64_t identity = 0;  // PodFacts::identity
  std::int64_t amount = 0;
  bool ending = false;  // otherwise it may be evicted
};

// What a signal watches, and who holds it, at one moment, in the unit of the signal.
struct UsageSample {
  Signal signal = Signal::kMemoryAvailable;
  Observation seen;
  std::int64_t line = 0;        // of the threshold that is acted for
  std::vector<PodAmount> pods;  // in any order
  Instant at;
};

// Measures how fast usage grows, from samples a few milliseconds apart. Growth is what the same
// pods, and everything outside of pods, have taken from one sample to the next: pods that have come
// or gone in between do not count, nor do those that are ending. Page cache that becomes active
// takes nothing either, as fast as it makes memory less available: the usage does not grow with it.
// Where nothing is left nothing can grow: there, what was measured last still counts.
class UsageGrowth {
 public:
  // What was just observed of all signals.
  void Seen(const Observations& observations, Instant now);
  // A sample of the signal that a pass acts for.
  void Add(UsageSample sample);

  // Sets what is known of the input's signal: what ending pods hold, the growth of everything else,
  // and of the pods that may be evicted.
  void FillIn(PaceInput& input) const;
  // Whether ending pods hold all that is missing of the signal.
  [[nodiscard]] bool EndingCovers(Signal signal) const;
  // The growth of the total usage of a signal, per second; 0 if it is not known.
  [[nodiscard]] std::int64_t OfAll(Signal signal) const;

 private:
  struct Growth {
    std::int64_t all = 0;   // of everything except pods that are ending
    std::int64_t pods = 0;  // of the pods that may be evicted
  };

  void Forget();  // what is known of a signal
  // From the newest sample that is so much older than the last one.
  [[nodiscard]] std::optional<Growth> Over(Duration apart) const;
  [[nodiscard]] std::optional<Growth> Measured() const;
  [[nodiscard]] std::int64_t OfEnding() const;
  // Whether nothing was left to take a moment ago.
  [[nodiscard]] bool IsExhausted(Instant now) const;

  std::vector<Observations> observed_;  // the last ones, oldest first
  std::vector<UsageSample> samples_;    // the same, of one signal; pods by identity
  std::optional<Growth> measured_;      // last, while something was left
  std::optional<Instant> exhausted_at_;
};

}  // namespace jettison
