#include "agent/evictions/pace_keeper.h"

#include <algorithm>

namespace jettison {
namespace {

// Growth that has lasted for this long is a reason to evict another pod.
constexpr Duration kGrowthLasts = std::chrono::milliseconds(25);
// Growth that has lasted for this long suffices if it would soon take all that is left.
constexpr Duration kFastGrowthLasts = std::chrono::milliseconds(9);
constexpr Duration kSoon = std::chrono::milliseconds(150);
// Growth that was measured this long ago still counts where it cannot be measured.
constexpr Duration kStillCounts = std::chrono::milliseconds(100);
// Where less than this part of the threshold is left, nothing more can be taken.
constexpr std::int64_t kExhausted = 16;
// What the kernel took from pods this long ago still counts.
constexpr Duration kLossesCount = std::chrono::seconds(1);
// A shorter growth suffices to kill a pod that is ending already.
constexpr Duration kGrowthBegins = std::chrono::milliseconds(5);

std::int64_t JitterOf(Signal signal) {
  return ResourceOf(signal) == Resource::kPids ? kPidJitter : kMemoryJitter;
}

// A figure that was not read again does not count as a second look.
void See(const std::optional<Observation>& seen, Instant now, GrowthMeter& meter) {
  if (seen) {
    meter.Seen(seen->capacity - seen->available, seen->time.value_or(now));
  } else {
    meter.Restart();
  }
}

}  // namespace

PaceKeeper::PaceKeeper()
    : memory_(kMemoryJitter),
      allocatable_(kMemoryJitter),
      pids_(kPidJitter),
      rest_(kMemoryJitter),
      pods_(kMemoryJitter),
      each_(kMemoryJitter) {}

void PaceKeeper::Seen(const Observations& observations, Instant now) {
  See(observations[Signal::kMemoryAvailable], now, memory_);
  See(observations[Signal::kAllocatableMemoryAvailable], now, allocatable_);
  See(observations[Signal::kPidAvailable], now, pids_);
}

void PaceKeeper::Held(Signal signal, const Observation& seen, const HeldAmounts& held,
                      Instant now) {
  if (signal != signal_) {
    measured_.reset();
    exhausted_at_.reset();
    losses_ = {};
    rest_ = GrowthMeter(JitterOf(signal));
    pods_ = GrowthMeter(JitterOf(signal));
    each_ = PodGrowthMeter(JitterOf(signal));
  } else if (!held.change) {
    measured_.reset();
    rest_.Restart();
    pods_.Restart();
  } else if (held.change->any) {
    if (held.change->began_to_end > 0) ForgetItsGrowth(held.each.size());
    // What a vanished pod held may now be charged to the group above it.
    rest_.RestartWithLess(held.change->began_to_end - held.change->gone);
    pods_.RestartWithLess(held.change->left_pods);
  }
  signal_ = signal;
  ending_ = held.ending;
  ending_covers_ =
      held.ending > 0 && IsForeseen(signal) && seen.available + held.ending >= held.line;
  left_ = seen.available;
  rest_.Seen(seen.capacity - seen.available - held.ending, now);
  pods_.Seen(held.pods, now);
  fastest_.reset();
  if (const auto fastest = each_.Seen(held.each, kFastGrowthLasts, now)) {
    fastest_ = PodGrowth{.pod_uid = fastest->facts->pod.uid, .growth = fastest->per_second};
  }
  Remember(held.line, now);
}

bool PaceKeeper::IsExhausted(Instant now) const {
  return exhausted_at_ && Elapsed(*exhausted_at_, now) <= kStillCounts;
}

// It may have been the fastest one, or one of many whose growth a look cannot see. If most of the
// growth was its own, what is left of it is only the error of the measurement.
void PaceKeeper::ForgetItsGrowth(std::size_t others) {
  if (!measured_) return;
  const auto share = measured_->pods / static_cast<std::int64_t>(others + 1);
  const std::int64_t its = fastest_ ? fastest_->growth : share;
  if (!each_.compared() || its >= measured_->all / 2) return measured_.reset();
  measured_->all -= its;
  measured_->pods = std::max<std::int64_t>(measured_->pods - its, 0);
}

void PaceKeeper::Remember(std::int64_t line, Instant now) {
  const bool was_exhausted = IsExhausted(now);
  if (left_ + ending_ < line / kExhausted) exhausted_at_ = now;
  if (was_exhausted && IsExhausted(now)) return;
  if (measured_ && Elapsed(measured_->at, now) > kStillCounts) measured_.reset();
  if (const auto measured = Measured(now)) measured_ = measured;
}

std::optional<PaceKeeper::Growth> PaceKeeper::Lasting(Duration time, Instant now) const {
  const auto all = rest_.PerSecond(time);
  if (!all) return std::nullopt;
  return Growth{.all = *all, .pods = pods_.PerSecond(time).value_or(0), .at = now};
}

void PaceKeeper::Lost(std::int64_t amount, Instant now) {
  if (ResourceOf(signal_) != Resource::kMemory) return;
  losses_[next_loss_] = {.amount = amount, .at = now};
  next_loss_ = (next_loss_ + 1) % losses_.size();
}

std::optional<PaceKeeper::Growth> PaceKeeper::Losing(Instant now) const {
  std::int64_t lost = 0;
  for (const Loss& loss : losses_) {
    if (loss.amount > 0 && Elapsed(loss.at, now) <= kLossesCount) lost += loss.amount;
  }
  if (lost == 0) return std::nullopt;
  const std::int64_t per_second = PaceOf(lost, kLossesCount);
  return Growth{.all = per_second, .pods = per_second, .at = now};
}

std::optional<PaceKeeper::Growth> PaceKeeper::Present(Instant now) const {
  const auto measured = Measured(now);
  if (!IsExhausted(now)) return measured;
  const auto losing = Losing(now);
  return losing && losing->all > (measured ? measured->all : 0) ? losing : measured;
}

std::optional<PaceKeeper::Growth> PaceKeeper::Measured(Instant now) const {
  const auto fast = Lasting(kFastGrowthLasts, now);
  const bool is_exhausted = IsExhausted(now);
  if (!is_exhausted || !measured_) {
    const bool has_to_last = fast && Lasts(left_, fast->all, kSoon);
    if (const auto counts = has_to_last ? Lasting(kGrowthLasts, now) : fast) return counts;
  }
  if (!measured_) return std::nullopt;
  if (is_exhausted) return fast && fast->all > measured_->all ? fast : measured_;
  const bool is_old = Elapsed(measured_->at, now) > kStillCounts;
  const bool is_refuted = fast && fast->all < measured_->all / 2;
  return is_old || is_refuted ? std::nullopt : measured_;
}

PaceInput PaceKeeper::InputFor(Signal signal, std::optional<Instant> next_by_clock,
                               Instant now) const {
  PaceInput input{.signal = signal,
                  .kubelet_decides = KubeletDecides(signal, now),
                  .next_by_clock = next_by_clock};
  if (signal != signal_) return input;
  input.ending = ending_;
  input.fastest = fastest_;
  if (const auto growth = Present(now)) {
    input.growth = growth->all;
    input.growth_of_pods = growth->pods;
  }
  return input;
}

std::int64_t PaceKeeper::GrowthOf(Signal signal) const {
  const GrowthMeter* meter = nullptr;
  if (signal == Signal::kMemoryAvailable) meter = &memory_;
  if (signal == Signal::kAllocatableMemoryAvailable) meter = &allocatable_;
  if (signal == Signal::kPidAvailable) meter = &pids_;
  return meter == nullptr ? 0 : meter->PerSecond(kGrowthBegins).value_or(0);
}

}  // namespace jettison
