#include "agent/evictions/pace_keeper.h"

namespace jettison {
namespace {

// Growth that has lasted for this long is a reason to evict another pod.
constexpr Duration kGrowthLasts = std::chrono::milliseconds(25);
// Growth that has lasted for this long suffices if it would soon take all that is left.
constexpr Duration kFastGrowthLasts = std::chrono::milliseconds(9);
constexpr Duration kSoon = std::chrono::milliseconds(150);
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
    rest_ = GrowthMeter(JitterOf(signal));
    pods_ = GrowthMeter(JitterOf(signal));
    each_ = PodGrowthMeter(JitterOf(signal));
  } else if (!held.change) {
    rest_.Restart();
    pods_.Restart();
  } else if (held.change->any) {
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
}

PaceInput PaceKeeper::InputFor(Signal signal, std::optional<Instant> next_by_clock,
                               Instant now) const {
  PaceInput input{.signal = signal,
                  .kubelet_decides = KubeletDecides(signal, now),
                  .next_by_clock = next_by_clock};
  if (signal != signal_) return input;
  input.ending = ending_;
  const auto take = [&](Duration lasts) {
    input.growth = rest_.PerSecond(lasts);
    input.growth_of_pods = pods_.PerSecond(lasts).value_or(0);
  };
  input.fastest = fastest_;
  take(kFastGrowthLasts);
  if (Lasts(left_, input.growth.value_or(0), kSoon)) take(kGrowthLasts);
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
