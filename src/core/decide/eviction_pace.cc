#include "core/decide/eviction_pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

Int128 TakenIn(std::int64_t growth, Duration time) {
  return Int128{growth} * std::max(time, Duration{0}).count() / kNanosPerSecond;
}

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

std::optional<SoftHold> SoftHoldOn(const PaceQuestion& question, const PaceInput& pace) {
  if (question.threshold.IsHard() || !pace.soft || pace.soft->until <= question.now) {
    return std::nullopt;
  }
  return pace.soft;
}

EvictionPause Pause(const PaceQuestion& question, PaceReason reason, Instant until) {
  return {
      .reason = reason, .until = until, .pod_uid = question.pods[question.victim].facts->pod.uid};
}

// The time from the decision until killed processes take nothing more: many may have to be found,
// and they compete for the processor with all others.
constexpr Duration kKillTakes = std::chrono::milliseconds(150);

// Bytes are written in whole KiB.
std::string AmountOf(Signal signal, std::int64_t amount) {
  constexpr std::int64_t kKibi = 1024;
  if (FormatOf(signal) == QuantityFormat::kBinarySI) amount -= amount % kKibi;
  return Quantity::Of(amount, FormatOf(signal)).ToString();
}

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
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const Int128 pace = (grown - JitterOf(signal)) * kNanosPerSecond / time.count();
  return static_cast<std::int64_t>(std::clamp(pace, Int128{0}, Int128{kMost}));
}

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

bool IsWorthwhile(Int128 usage, Int128 missing) {
  return usage * kSmallPart >= missing;
}

bool Lasts(std::int64_t left, std::int64_t growth, Duration time) {
  return growth <= 0 || Int128{left} > TakenIn(growth, time);
}

std::optional<EvictionPause> PauseBefore(const PaceQuestion& question, const PaceInput& pace) {
  if (pace.signal != question.threshold.signal) return std::nullopt;
  if (const auto hold = SoftHoldOn(question, pace)) {
    return Pause(question, hold->reason, hold->until);
  }
  if (pace.kubelet_decides && question.now < *pace.kubelet_decides) {
    const auto reason = SecondWaits(question, pace);
    if (!reason) return std::nullopt;
    return Pause(question, *reason, *pace.kubelet_decides);
  }
  if (!pace.next_by_clock) return std::nullopt;
  const auto reason = Useless(question, pace, ShortOfLine(question, pace));
  if (!reason) return std::nullopt;
  return Pause(question, *reason, *pace.next_by_clock);
}

void EvictionPace::Evicted(Resource resource, bool hard, Duration grace, Instant now) {
  if (!awaited_ && !NextRound(now)) evicted_for_.fill(false);
  evicted_for_[static_cast<std::size_t>(resource)] = true;
  awaited_ = true;
  if (!hard) return;
  awaits_hard_ = true;
  decides_ = now + grace + kCleanupPoll;
}

void EvictionPace::CleanedUp(bool all_gone, Instant now) {
  awaits_hard_ = false;
  if (!std::exchange(awaited_, false)) return;
  decides_ = all_gone ? now + kCleanupPoll : now;
}

std::optional<Instant> EvictionPace::NextRound(Instant now) const {
  if (!decides_) return std::nullopt;
  if (awaits_hard_) return std::max(*decides_, now + kCleanupPoll);
  return *decides_ > now ? decides_ : std::nullopt;
}

std::optional<Instant> EvictionPace::KubeletDecides(Signal signal, Instant now) const {
  const bool matters = evicted_for_[static_cast<std::size_t>(ResourceOf(signal))] ||
                       !IsForeseen(signal) || EndingCovers(signal);
  return matters ? NextRound(now) : std::nullopt;
}

PaceInput EvictionPace::InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                 Instant now) const {
  PaceInput input{.signal = signal,
                  .kubelet_decides = KubeletDecides(signal, now),
                  .next_by_clock = next_by_clock};
  if (samples_.empty() || samples_.back().signal != signal) return input;
  input.ending = OfEnding();
  if (!measured_) return input;
  input.growth = measured_->all;
  input.growth_of_pods = measured_->pods;
  return input;
}

void EvictionPace::Seen(const Observations& observations, Instant now) {
  Observations seen = observations;
  for (const Signal signal : kAllSignals) {
    if (seen[signal] && !seen[signal]->time) seen[signal]->time = now;
  }
  Append(std::move(seen), observed_);
}

std::int64_t EvictionPace::GrowthOf(Signal signal) const {
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

void EvictionPace::Add(UsageSample sample) {
  if (!samples_.empty() && samples_.back().signal != sample.signal) {
    samples_.clear();
    measured_.reset();
    exhausted_at_.reset();
  }
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

std::int64_t EvictionPace::OfEnding() const {
  std::int64_t of_ending = 0;
  for (const PodAmount& pod : samples_.back().pods) of_ending += pod.ending ? pod.amount : 0;
  return of_ending;
}

bool EvictionPace::EndingCovers(Signal signal) const {
  if (samples_.empty() || samples_.back().signal != signal || !IsForeseen(signal)) return false;
  const std::int64_t of_ending = OfEnding();
  return of_ending > 0 && samples_.back().seen.available + of_ending >= samples_.back().line;
}

bool EvictionPace::IsExhausted(Instant now) const {
  return exhausted_at_ && Elapsed(*exhausted_at_, now) <= kRemembered;
}

std::optional<EvictionPace::Growth> EvictionPace::Over(Duration apart) const {
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

std::optional<EvictionPace::Growth> EvictionPace::Measured() const {
  const auto fast = Over(kFastGrowthLasts);
  const bool has_to_last = fast && Lasts(samples_.back().seen.available, fast->all, kSoon);
  return has_to_last ? Over(kGrowthLasts) : fast;
}

bool MustKillNow(const EndingQuestion& question) {
  if (question.now >= question.kill_at) return true;
  const Duration rest = Elapsed(question.now, question.kill_at);
  if (Lasts(question.left, question.growth, std::min(rest, kKillTakes))) return false;
  const Int128 missing = TakenIn(question.growth, rest) - question.left;
  return !question.usage || IsWorthwhile(*question.usage, missing);
}

std::string TextOf(const EarlyKill& kill) {
  const auto milliseconds = [](Duration duration) {
    return FormatDuration(std::chrono::duration_cast<std::chrono::milliseconds>(duration));
  };
  return fmt::format(
      "killed after {} of its grace period of {}: {} of {} were left, and {} a second were taken",
      milliseconds(kill.after), milliseconds(kill.grace), AmountOf(kill.signal, kill.left),
      NameOf(kill.signal), AmountOf(kill.signal, kill.growth));
}

}  // namespace jettison
