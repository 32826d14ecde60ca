#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

// A sample that is older says nothing of now, as Prometheus has it (--query.lookback-delta).
inline constexpr Duration kStaleness = std::chrono::minutes(5);

// A figure at a moment, and how it is known.
struct TrackReading {
  enum class How : std::uint8_t {
    kSampled,  // it was sampled at that very moment
    kBetween,  // on the line between two samples that follow one another
    kBridged,  // the same, and samples are missing between the two
    kHeld,     // as the last sample has it, no longer ago than samples are apart
  };
  double value = 0;
  How how = How::kSampled;
  Instant sampled;  // the later one of the samples it comes of, but not after the moment
};

// One figure through time, by its samples.
class Track {
 public:
  struct Point {
    Instant at;
    double value = 0;  // NaN: the series ends here
  };
  // A counter that has grown, or was set back.
  struct Step {
    Instant from;  // the sample before
    Instant to;
    double by = 0;       // since then; what a counter has that began anew
    bool reset = false;  // it fell
  };

  Track() = default;
  // In the order of time, no two at one time.
  explicit Track(std::vector<Point> points);

  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  [[nodiscard]] bool empty() const { return points_.empty(); }
  // The median time between two samples; zero: there are fewer than two.
  [[nodiscard]] Duration interval() const { return interval_; }

  // A gauge at that moment; none: it is not known.
  [[nodiscard]] std::optional<TrackReading> At(Instant at) const;
  // What the last sample said, no longer ago than kStaleness.
  [[nodiscard]] std::optional<double> Last(Instant at) const;
  // The growth of a counter within `span` before `at`, a second; none: not all of it is known.
  [[nodiscard]] std::optional<double> RateAt(Instant at, Duration span) const;
  // Where it changed from one sample to the next; what it began with is no change.
  [[nodiscard]] std::vector<Step> Steps() const;
  // Between samples that lie further apart than usual, and no further than kStaleness.
  [[nodiscard]] bool IsBridge(Instant from, Instant to) const;

 private:
  // The place of the first point behind `at`.
  [[nodiscard]] std::size_t Behind(Instant at) const;

  std::vector<Point> points_;
  Duration interval_{0};
};

// A gauge at that moment; none: it is not known, or there is no such track.
[[nodiscard]] std::optional<double> AmountAt(const Track* track, Instant at);
// An amount as a whole number of things, 0 or more.
[[nodiscard]] std::uint64_t CountOf(double amount);
// A gauge as such a number.
[[nodiscard]] std::optional<std::uint64_t> CountAt(const Track* track, Instant at);

}  // namespace jettison
