#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/units/duration.h"

namespace jettison {

// As the kubelet and the agent have it, where nothing else is known.
inline constexpr Duration kUsualInterval = std::chrono::seconds(10);

// How far the passes of a recording are apart: the interval that most of the last ones have. Passes
// that were made because something was short lie in between, at any distance.
class RecordedInterval {
 public:
  RecordedInterval() = default;
  // One that is known, whatever the recording has.
  explicit RecordedInterval(Duration known) : known_(known) {}

  // A pass was made. `follows`: none is missing since the one before.
  void Add(Instant at, bool follows);
  [[nodiscard]] Duration Usual() const;

 private:
  static constexpr std::size_t kLast = 16;

  std::optional<Duration> known_;
  std::optional<Instant> before_;
  std::array<Duration, kLast> steps_{};
  std::size_t count_ = 0;
};

}  // namespace jettison
