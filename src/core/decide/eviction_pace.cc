#include "core/decide/eviction_pace.h"

#include <algorithm>
#include <utility>

#include "core/decide/eviction_order.h"
#include "core/decide/ranking.h"

namespace jettison {
namespace {

// A victim that holds less than this part of what is missing does not bring the node nearer to its
// line.
constexpr std::int64_t kSmallPart = 16;
// The time until the end of a pod frees something.
constexpr Duration kEndTakes = std::chrono::milliseconds(100);
constexpr Int128 kNanosPerSecond = 1'000'000'000;
constexpr Duration kAboutToRunOut = std::chrono::milliseconds(250);

// How much is missing to the line, beyond what ending pods will free; zero or less: nothing.
Int128 ShortOfLine(const PaceQuestion& question, const PaceInput& pace) {
  const Int128 line = QuantityOf(question.threshold.value, question.seen.capacity).Value();
  return line - question.seen.available - pace.ending;
}

bool IsTheirs(const PaceInput& pace) {
  return Int128{pace.growth_of_pods} * 2 >= pace.growth.value_or(0);
}

// Whether the pods themselves are about to take the last of what is left.
bool TheyTakeTheRest(const PaceQuestion& question, const PaceInput& pace) {
  const std::int64_t growth = pace.growth.value_or(0);
  return IsTheirs(pace) && !Lasts(question.seen.available + pace.ending, growth, kAboutToRunOut);
}

// Why the victim's end would not bring the node nearer to its line; absent if it would. An unknown
// amount is no reason. Where many pods take the rest together, each of them is small, and the
// kernel would end one of them next; so there the end of one that is not small among them helps.
std::optional<PaceReason> Useless(const PaceQuestion& question, const PaceInput& pace,
                                  Int128 missing) {
  const Signal signal = question.threshold.signal;
  if (missing <= 0 || IsPressure(signal)) return std::nullopt;
  Int128 all = 0;
  Int128 count = 0;
  for (const ActivePod& pod : question.pods) {
    if (!MayGo(pod, signal)) continue;
    const auto usage = UsageOf(pod, signal, question.layout);
    if (!usage) return std::nullopt;
    all += *usage;
    ++count;
  }
  if (all < ShortOfLine(question, pace)) return PaceReason::kNotTheirs;
  const auto victim = UsageOf(question.pods[question.victim], signal, question.layout);
  if (IsWorthwhile(*victim, missing)) return std::nullopt;
  const bool is_as_large_as_others = Int128{*victim} * 2 * count >= all;
  if (is_as_large_as_others && TheyTakeTheRest(question, pace)) return std::nullopt;
  return PaceReason::kVictimTooSmall;
}

std::optional<PaceReason> SecondWaits(const PaceQuestion& question, const PaceInput& pace) {
  if (!question.threshold.IsHard() || !IsForeseen(question.threshold.signal)) {
    return PaceReason::kNoForecast;
  }
  const Duration time = Elapsed(question.now, *pace.kubelet_decides) + kEndTakes;
  const std::int64_t growth = pace.growth.value_or(0);
  if (Lasts(question.seen.available + pace.ending, growth, time)) return PaceReason::kNodeLasts;
  if (!IsTheirs(pace)) return PaceReason::kNotTheirs;
  const Int128 missing = std::max(ShortOfLine(question, pace), Int128{0}) + TakenIn(growth, time);
  return Useless(question, pace, missing);
}

// Growth that has lasted for this long is a reason to evict another pod.
constexpr Duration kGrowthLasts = std::chrono::milliseconds(25);
// A shorter growth suffices to kill a pod that is ending already.
constexpr Duration kGrowthBegins = std::chrono::milliseconds(5);
// Older samples say nothing of the present.
constexpr Duration kRemembered = std::chrono::milliseconds(100);
// Samples that are closer together say nothing new.
constexpr Duration kApart = std::chrono::milliseconds(4);
constexpr std::size_t kSamples = 16;
// Where less than this part of the threshold is left, nothing more can be taken.
constexpr std::int64_t kExhausted = 16;

// The error of a sample. The kernel charges memory in batches of 256 KiB on each processor, and the
// figures of node and pods are not read at the same time.
std::int64_t JitterOf(Signal signal) {
  return UnitNameOf(signal) == "bytes" ? std::int64_t{1} << 20 : 16;
}

// The growth per second; 0 if it shrank, or no more than the error of a sample.
std::int64_t PerSecond(Int128 grown, Signal signal, Duration time) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const Int128 pace = (grown - JitterOf(signal)) * kNanosPerSecond / time.count();
  return static_cast<std::int64_t>(std::clamp(pace, Int128{0}, Int128{kMost}));
}

Int128 Taken(const Observation& before, const Observation& last) {
  const Int128 taken = Int128{before.available} - last.available + last.capacity - before.capacity;
  if (!before.usage || !last.usage) return taken;
  return std::min(taken, Int128{*last.usage} - *before.usage);
}

}  // namespace

std::string_view TextOf(PaceReason reason) {
  constexpr auto kTexts =
      EnumNames("what is left lasts until then at the measured pace",
                "ending the pod would free almost nothing",
                "no pod that may be evicted holds or takes what is short",
                "how long what is left lasts cannot be foreseen",
                "the API server has been asked whether the pod may be evicted",
                "another pod was evicted for a soft threshold a moment ago",
                "the limit of evictions per hour for soft thresholds is reached",
                "the API server cannot be asked whether the pod may be evicted",
                "the agent has no right to ask the API server whether the pod may be evicted");
  return kTexts[static_cast<std::size_t>(reason)];
}

bool IsWorthwhile(Int128 usage, Int128 missing) {
  return usage * kSmallPart >= missing;
}

Int128 TakenIn(std::int64_t growth, Duration time) {
  return Int128{growth} * std::max(time, Duration{0}).count() / kNanosPerSecond;
}

bool Lasts(std::int64_t left, std::int64_t growth, Duration time) {
  return growth <= 0 || Int128{left} > TakenIn(growth, time);
}

std::optional<EvictionPause> PauseBefore(const PaceQuestion& question, const PaceInput& pace) {
  const auto waits = [&](PaceReason reason, Instant until) {
    return EvictionPause{
        .reason = reason, .until = until, .pod_uid = question.pods[question.victim].facts->pod.uid};
  };
  if (pace.signal != question.threshold.signal) return std::nullopt;
  if (!question.threshold.IsHard() && pace.soft && question.now < pace.soft->until) {
    return waits(pace.soft->reason, pace.soft->until);
  }
  const bool is_second = pace.kubelet_decides && question.now < *pace.kubelet_decides;
  const auto until = is_second ? pace.kubelet_decides : pace.next_by_clock;
  if (!until) return std::nullopt;
  const auto reason = is_second ? SecondWaits(question, pace)
                                : Useless(question, pace, ShortOfLine(question, pace));
  return reason ? std::optional(waits(*reason, *until)) : std::nullopt;
}

void EvictionPace::Evicted(bool hard, Instant now) {
  awaits_ = true;
  if (!hard) return;
  awaits_hard_ = true;
  decides_ = now + std::chrono::seconds(kHardEvictionGracePeriodSeconds) + kCleanupPoll;
}

void EvictionPace::CleanedUp(bool all_gone, Instant now) {
  awaits_hard_ = false;
  if (std::exchange(awaits_, false)) decides_ = all_gone ? now + kCleanupPoll : now;
}

std::optional<Instant> EvictionPace::KubeletDecides(Instant now) const {
  if (!decides_) return std::nullopt;
  if (awaits_hard_) return std::max(*decides_, now + kCleanupPoll);
  return *decides_ > now ? decides_ : std::nullopt;
}

PaceInput EvictionPace::InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                 Instant now) const {
  const Known& known = known_[IndexOf(signal)];
  PaceInput input{.signal = signal,
                  .kubelet_decides = KubeletDecides(now),
                  .next_by_clock = next_by_clock,
                  .ending = known.ending};
  if (!known.growth) return input;
  input.growth = known.growth->all;
  input.growth_of_pods = known.growth->pods;
  return input;
}

void EvictionPace::Seen(const Observations& observations, Instant now) {
  for (const Signal signal : kAllSignals) {
    const auto& seen = observations[signal];
    if (!seen || !IsForeseen(signal)) continue;
    std::vector<Sample>& samples = known_[IndexOf(signal)].samples;
    const Instant at = seen->time.value_or(now);
    // The present figures count in any case.
    const std::size_t count = samples.size();
    if (count > 1 && Elapsed(samples[count - 2].at, at) < kApart) samples.pop_back();
    if (samples.size() == kSamples) samples.erase(samples.begin());
    samples.push_back({.seen = *seen, .at = at, .pods = std::nullopt});
  }
}

void EvictionPace::Held(Signal signal, std::int64_t line, std::vector<PodAmount> pods) {
  Known& known = known_[IndexOf(signal)];
  if (known.samples.empty()) return;
  Sample& last = known.samples.back();
  std::ranges::sort(pods, {}, &PodAmount::identity);
  known.ending = 0;
  for (const PodAmount& pod : pods) known.ending += pod.ending ? pod.amount : 0;
  last.pods = std::move(pods);
  const auto is_exhausted = [&] {
    return known.exhausted_at && Elapsed(*known.exhausted_at, last.at) <= kRemembered;
  };
  const bool was_exhausted = is_exhausted();
  if (last.seen.available + known.ending < line / kExhausted) known.exhausted_at = last.at;
  const auto measured = Measured(signal, known.samples);
  const bool keeps = known.growth && was_exhausted && is_exhausted();
  if (!keeps || (measured && measured->all > known.growth->all)) known.growth = measured;
}

// The newest sample that is so much older than the last one.
const EvictionPace::Sample* EvictionPace::Before(const std::vector<Sample>& samples, Duration apart,
                                                 bool with_pods) {
  for (auto sample = samples.rbegin(); sample != samples.rend(); ++sample) {
    const Duration age = Elapsed(sample->at, samples.back().at);
    if (age > kRemembered) break;
    if (age >= apart && (sample->pods || !with_pods)) return &*sample;
  }
  return nullptr;
}

std::optional<EvictionPace::Growth> EvictionPace::Measured(Signal signal,
                                                           const std::vector<Sample>& samples) {
  const Sample* const before = Before(samples, kGrowthLasts, true);
  if (before == nullptr) return std::nullopt;
  const Sample& last = samples.back();
  Int128 all = Taken(before->seen, last.seen);
  Int128 of_pods = 0;
  auto was = before->pods->begin();
  for (const PodAmount& pod : *last.pods) {
    while (was != before->pods->end() && was->identity < pod.identity) ++was;
    const bool is_new = was == before->pods->end() || was->identity != pod.identity;
    const Int128 grown = is_new ? Int128{pod.amount} : Int128{pod.amount} - was->amount;
    (is_new || pod.ending) ? all -= grown : of_pods += grown;
  }
  const Duration time = Elapsed(before->at, last.at);
  return Growth{.all = PerSecond(all, signal, time), .pods = PerSecond(of_pods, signal, time)};
}

std::int64_t EvictionPace::GrowthOf(Signal signal) const {
  const std::vector<Sample>& samples = known_[IndexOf(signal)].samples;
  const Sample* const before = Before(samples, kGrowthBegins, false);
  if (before == nullptr) return 0;
  return PerSecond(Taken(before->seen, samples.back().seen), signal,
                   Elapsed(before->at, samples.back().at));
}

}  // namespace jettison
