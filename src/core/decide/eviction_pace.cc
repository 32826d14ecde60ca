#include "core/decide/eviction_pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/decide/ranking.h"
#include "core/evaluate/evaluate.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

// A victim that holds less than this part of what is missing does not bring the node nearer to its
// line.
constexpr std::int64_t kSmallPart = 16;
// The time until the end of a pod frees something.
constexpr Duration kEndTakes = std::chrono::milliseconds(100);
constexpr Duration kAboutToRunOut = std::chrono::milliseconds(250);

// How much is missing to the line, beyond what ending pods will free; zero or less: nothing.
Int128 ShortOfLine(const PaceQuestion& question, const PaceInput& pace) {
  const Int128 line = QuantityOf(question.threshold.value, question.seen.capacity).Value();
  return line - question.seen.available - pace.ending;
}

// Whether evictable pods take at least half of what is taken.
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

// Why a second eviction waits; absent if it does not.
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

}  // namespace

bool IsWorthwhile(Int128 usage, Int128 missing) {
  return usage * kSmallPart >= missing;
}

Int128 TakenIn(std::int64_t growth, Duration time) {
  constexpr Int128 kNanosPerSecond = 1'000'000'000;
  return Int128{growth} * std::max(time, Duration{0}).count() / kNanosPerSecond;
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

void KubeletRound::Evicted(Resource resource, bool hard, Duration grace, Instant now) {
  if (!awaited_ && !Next(now)) evicted_for_.fill(false);
  evicted_for_[static_cast<std::size_t>(resource)] = true;
  awaited_ = true;
  if (!hard) return;
  awaits_hard_ = true;
  decides_ = now + grace + kCleanupPoll;
}

void KubeletRound::CleanedUp(bool all_gone, Instant now) {
  awaits_hard_ = false;
  if (!std::exchange(awaited_, false)) return;
  decides_ = all_gone ? now + kCleanupPoll : now;
}

std::optional<Instant> KubeletRound::Next(Instant now) const {
  if (!decides_) return std::nullopt;
  if (awaits_hard_) return std::max(*decides_, now + kCleanupPoll);
  return *decides_ > now ? decides_ : std::nullopt;
}

std::optional<Instant> KubeletRound::NextFor(Signal signal, Instant now) const {
  const bool matters =
      evicted_for_[static_cast<std::size_t>(ResourceOf(signal))] || !IsForeseen(signal);
  return matters ? Next(now) : std::nullopt;
}

namespace {

// The time from the decision until killed processes take nothing more: many may have to be found,
// and they compete for the processor with all others.
constexpr Duration kKillTakes = std::chrono::milliseconds(150);

// Bytes are written in whole KiB.
std::string AmountOf(Signal signal, std::int64_t amount) {
  constexpr std::int64_t kKibi = 1024;
  if (FormatOf(signal) == QuantityFormat::kBinarySI) amount -= amount % kKibi;
  return Quantity::Of(amount, FormatOf(signal)).ToString();
}

}  // namespace

bool LastsItsGrace(const EndingQuestion& question) {
  const Duration rest = Elapsed(question.now, question.kill_at);
  return Lasts(question.left, question.growth, rest) ||
         Lasts(question.left, question.growth, kKillTakes);
}

bool MustKillNow(const EndingQuestion& question) {
  if (question.now >= question.kill_at) return true;
  if (LastsItsGrace(question)) return false;
  const Duration rest = Elapsed(question.now, question.kill_at);
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
