#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/units/duration.h"
#include "core/units/int128.h"

namespace jettison {

// How much a look may be wrong by. The kernel charges memory in batches of 256 KiB on each
// processor, and figures of node and pods are read one after the other.
inline constexpr std::int64_t kMemoryJitter = std::int64_t{1} << 20;
inline constexpr std::int64_t kPidJitter = 16;

// Units a second of so much in a time; none where it shrank, and absurd figures saturate.
[[nodiscard]] std::int64_t PaceOf(Int128 grown, Duration time);

// Says how fast something grows from looks at it a few milliseconds apart. Holds the last tenth of
// a second, so that growth that has ended is soon forgotten; allocates nothing.
class GrowthMeter {
 public:
  // `jitter`: by how much a look may be wrong. The kernel charges memory in batches on each
  // processor, so what grows steadily is seen to grow in steps.
  explicit GrowthMeter(std::int64_t jitter) : jitter_(jitter) {}

  void Seen(std::int64_t amount, Instant now);
  // What is looked at is another thing from now on.
  void Restart() { count_ = 0; }
  // The same, but the last look is known to have seen so much less (negative: more) of the new
  // thing, so that growth is known one look sooner.
  void RestartWithLess(std::int64_t amount);
  // Units a second, 0 where it does not grow, by looks that are at least so far apart; absent:
  // there are none yet.
  [[nodiscard]] std::optional<std::int64_t> PerSecond(Duration apart) const;

 private:
  struct Sample {
    std::int64_t amount = 0;
    Instant at;
  };
  // So many that the oldest of looks that are 5 ms apart is a tenth of a second old.
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
