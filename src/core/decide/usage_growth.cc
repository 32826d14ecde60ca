#include "core/decide/usage_growth.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/units/quantity.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;

// Growth that has lasted for this long is a reason to evict another pod.
constexpr Duration kGrowthLasts = milliseconds(25);
// Growth that has lasted for this long suffices if it would soon take all that is left.
constexpr Duration kFastGrowthLasts = milliseconds(9);
constexpr Duration kSoon = milliseconds(150);
// A shorter growth suffices to kill a pod that is ending already.
constexpr Duration kGrowthBegins = milliseconds(5);
// Older samples say nothing of the present.
constexpr Duration kRemembered = milliseconds(100);
// Samples that are closer together say nothing new.
constexpr Duration kApart = milliseconds(4);
constexpr std::size_t kSamples = 12;
// Where less than this part of the threshold is left, nothing more can be taken.
constexpr std::int64_t kExhausted = 16;

// The error of a sample. The kernel charges memory in batches of 256 KiB on each processor, and the
// figures of node and pods are not read at the same time.
std::int64_t JitterOf(Signal signal) {
  return UnitNameOf(signal) == "bytes" ? std::int64_t{1} << 20 : 16;
}

// The growth per second; 0 if it shrank, or no more than the error of a sample.
std::int64_t PerSecond(Int128 grown, Signal signal, Duration time) {
  constexpr Int128 kNanosPerSecond = 1'000'000'000;
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const Int128 pace = (grown - JitterOf(signal)) * kNanosPerSecond / time.count();
  return static_cast<std::int64_t>(std::clamp(pace, Int128{0}, Int128{kMost}));
}

// What was taken from the one observation to the other.
Int128 Taken(const Observation& before, const Observation& last) {
  const Int128 taken = Int128{before.available} - last.available + last.capacity - before.capacity;
  if (!before.usage || !last.usage) return taken;
  return std::min(taken, Int128{*last.usage} - *before.usage);
}

template <typename T>
void Append(T last, std::vector<T>& all) {
  if (all.size() == kSamples) all.erase(all.begin());
  all.push_back(std::move(last));
}

}  // namespace

void UsageGrowth::Seen(const Observations& observations, Instant now) {
  Observations seen = observations;
  for (const Signal signal : kAllSignals) {
    if (seen[signal] && !seen[signal]->time) seen[signal]->time = now;
  }
  Append(std::move(seen), observed_);
}

std::int64_t UsageGrowth::OfAll(Signal signal) const {
  if (observed_.empty() || !observed_.back()[signal]) return 0;
  const Observation& last = *observed_.back()[signal];
  for (auto sample = observed_.rbegin(); sample != observed_.rend(); ++sample) {
    const auto& before = (*sample)[signal];
    if (!before || Elapsed(*before->time, *last.time) > kRemembered) return 0;
    const Duration time = Elapsed(*before->time, *last.time);
    if (time < kGrowthBegins) continue;
    return PerSecond(Taken(*before, last), signal, time);
  }
  return 0;
}

void UsageGrowth::Add(UsageSample sample) {
  if (!samples_.empty() && samples_.back().signal != sample.signal) Forget();
  std::ranges::sort(sample.pods, {}, &PodAmount::identity);
  // The present figures count in any case.
  if (samples_.size() > 1 && Elapsed(samples_[samples_.size() - 2].at, sample.at) < kApart) {
    samples_.pop_back();
  }
  Append(std::move(sample), samples_);
  const UsageSample& last = samples_.back();
  const bool was_exhausted = IsExhausted(last.at);
  if (last.seen.available + OfEnding() < last.line / kExhausted) exhausted_at_ = last.at;
  const auto measured = Measured();
  const bool keeps = measured_ && was_exhausted && IsExhausted(last.at);
  if (!keeps || (measured && measured->all > measured_->all)) measured_ = measured;
}

void UsageGrowth::Forget() {
  samples_.clear();
  measured_.reset();
  exhausted_at_.reset();
}

std::int64_t UsageGrowth::OfEnding() const {
  std::int64_t of_ending = 0;
  for (const PodAmount& pod : samples_.back().pods) of_ending += pod.ending ? pod.amount : 0;
  return of_ending;
}

bool UsageGrowth::EndingCovers(Signal signal) const {
  if (samples_.empty() || samples_.back().signal != signal || !IsForeseen(signal)) return false;
  const std::int64_t of_ending = OfEnding();
  return of_ending > 0 && samples_.back().seen.available + of_ending >= samples_.back().line;
}

bool UsageGrowth::IsExhausted(Instant now) const {
  return exhausted_at_ && Elapsed(*exhausted_at_, now) <= kRemembered;
}

std::optional<UsageGrowth::Growth> UsageGrowth::Over(Duration apart) const {
  const UsageSample& last = samples_.back();
  const auto before =
      std::find_if(samples_.rbegin(), samples_.rend(),
                   [&](const UsageSample& sample) { return Elapsed(sample.at, last.at) >= apart; });
  if (before == samples_.rend() || Elapsed(before->at, last.at) > kRemembered) return std::nullopt;
  const Duration time = Elapsed(before->at, last.at);
  Growth growth;
  Int128 all = Taken(before->seen, last.seen);
  Int128 of_pods = 0;
  auto was = before->pods.begin();
  for (const PodAmount& pod : last.pods) {
    while (was != before->pods.end() && was->identity < pod.identity) ++was;
    const bool is_new = was == before->pods.end() || was->identity != pod.identity;
    const Int128 grown = is_new ? Int128{pod.amount} : Int128{pod.amount} - was->amount;
    if (is_new || pod.ending) {
      all -= grown;
      continue;
    }
    of_pods += grown;
  }
  growth.all = PerSecond(all, last.signal, time);
  growth.pods = PerSecond(of_pods, last.signal, time);
  return growth;
}

std::optional<UsageGrowth::Growth> UsageGrowth::Measured() const {
  const auto fast = Over(kFastGrowthLasts);
  const bool has_to_last = fast && Lasts(samples_.back().seen.available, fast->all, kSoon);
  return has_to_last ? Over(kGrowthLasts) : fast;
}

void UsageGrowth::FillIn(PaceInput& input) const {
  if (samples_.empty() || samples_.back().signal != input.signal) return;
  input.ending = OfEnding();
  if (!measured_) return;
  input.growth = measured_->all;
  input.growth_of_pods = measured_->pods;
}

}  // namespace jettison
