#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/units/duration.h"
#include "core/units/int128.h"

namespace jettison {

// The error of a look. The kernel charges memory in batches of 256 KiB on each processor, and the
// figures of node and pods are not read at the same time.
inline constexpr std::int64_t kMemoryJitter = std::int64_t{1} << 20;
inline constexpr std::int64_t kPidJitter = 16;

// The growth per second of `grown` units in `time`; 0 if it shrank. Saturates.
[[nodiscard]] std::int64_t PaceOf(Int128 grown, Duration time);

// Measures how fast an amount grows, from looks a few milliseconds apart. It uses the last tenth of
// a second, so that growth which has ended is soon forgotten. Allocates nothing.
class GrowthMeter {
 public:
  // `jitter`: the error of a look. Steady growth is seen as steps, because the kernel charges
  // memory in batches on each processor.
  explicit GrowthMeter(std::int64_t jitter) : jitter_(jitter) {}

  void Seen(std::int64_t amount, Instant now);
  // Forgets all looks, because another amount is looked at from now on.
  void Restart() { count_ = 0; }
  // As Restart, but keeps the last look: the new amount was then less by `amount` (negative: more).
  // So growth is known one look sooner.
  void RestartWithLess(std::int64_t amount);
  // The growth per second, 0 if it does not grow, from looks that are at least `apart`; absent:
  // there are none yet.
  [[nodiscard]] std::optional<std::int64_t> PerSecond(Duration apart) const;

 private:
  struct Sample {
    std::int64_t amount = 0;
    Instant at;
  };
  // Enough for a tenth of a second of looks that are 5 ms apart.
  static constexpr std::size_t kSamples = 24;
  // The sample `back` looks ago.
  [[nodiscard]] const Sample& Ago(std::size_t back) const {
    return samples_[(next_ + kSamples - 1 - back) % kSamples];
  }

  std::int64_t jitter_;
  std::array<Sample, kSamples> samples_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace jettison
