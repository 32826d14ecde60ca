#include "sim/frames/recorded_interval.h"

#include <algorithm>
#include <chrono>

namespace jettison {
namespace {

// No agent makes a pass by the clock more often.
constexpr Duration kLeast = std::chrono::milliseconds(500);
// Two steps that differ by less are equal.
constexpr Duration kNear = std::chrono::milliseconds(250);

}  // namespace

void RecordedInterval::Add(Instant at, bool follows) {
  const auto before = before_;
  before_ = at;
  if (!before || !follows) return;
  const Duration step = Elapsed(*before, at);
  if (step >= kLeast) steps_[count_++ % kLast] = step;
}

Duration RecordedInterval::Usual() const {
  if (known_) return *known_;
  const std::size_t known = std::min(count_, kLast);
  Duration usual = kUsualInterval;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < known; ++i) {
    const std::ptrdiff_t alike =
        std::count_if(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(known),
                      [&](Duration step) { return std::chrono::abs(step - steps_[i]) <= kNear; });
    if (alike <= most) continue;
    most = alike;
    usual = steps_[i];
  }
  return usual;
}

}  // namespace jettison
