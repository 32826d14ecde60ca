#include "agent/evictions/growth_meter.h"

#include <algorithm>

namespace jettison {
namespace {

// Looks that are closer together than this would displace older ones without telling anything new.
constexpr Duration kApart = std::chrono::milliseconds(4);
constexpr Duration kRemembered = std::chrono::milliseconds(100);

}  // namespace

std::int64_t PaceOf(Int128 grown, Duration time) {
  constexpr Int128 kNanosPerSecond = 1'000'000'000;
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  if (time.count() <= 0) return 0;
  const Int128 pace = grown * kNanosPerSecond / time.count();
  return static_cast<std::int64_t>(std::clamp(pace, Int128{0}, Int128{kMost}));
}

void GrowthMeter::Seen(std::int64_t amount, Instant now) {
  if (count_ > 0 && Elapsed(Ago(0).at, now) < kApart) return;
  samples_[next_] = {.amount = amount, .at = now};
  next_ = (next_ + 1) % kSamples;
  count_ = std::min(count_ + 1, kSamples);
}

void GrowthMeter::RestartWithLess(std::int64_t amount) {
  if (count_ == 0) return;
  samples_[(next_ + kSamples - 1) % kSamples].amount -= amount;
  count_ = 1;
}

std::optional<std::int64_t> GrowthMeter::PerSecond(Duration apart) const {
  std::optional<std::int64_t> fastest;
  for (std::size_t back = 1; back < count_; ++back) {
    const Duration time = Elapsed(Ago(back).at, Ago(0).at);
    if (time < apart) continue;
    if (time > kRemembered && fastest) break;
    const Int128 grown = Int128{Ago(0).amount} - Ago(back).amount - jitter_;
    fastest = std::max(fastest.value_or(0), PaceOf(grown, time));
  }
  return fastest;
}

}  // namespace jettison
