#include "agent/evictions/pace_keeper.h"

namespace jettison {
namespace {

// Memory is charged in batches of 256 KiB on each processor, and figures of node and pods are read
// one after the other.
constexpr std::int64_t kMemoryJitter = std::int64_t{1} << 20;
constexpr std::int64_t kPidJitter = 16;
// Another pod goes for growth that has lasted for so long.
constexpr Duration kGrowthLasts = std::chrono::milliseconds(25);
// A pod that is ending already is killed for less.
constexpr Duration kGrowthBegins = std::chrono::milliseconds(5);

std::int64_t JitterOf(Signal signal) {
  return ResourceOf(signal) == Resource::kPids ? kPidJitter : kMemoryJitter;
}

// A figure that was not read anew is no second look.
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
      pods_(kMemoryJitter) {}

void PaceKeeper::Seen(const Observations& observations, Instant now) {
  See(observations[Signal::kMemoryAvailable], now, memory_);
  See(observations[Signal::kAllocatableMemoryAvailable], now, allocatable_);
  See(observations[Signal::kPidAvailable], now, pids_);
}

void PaceKeeper::Held(Signal signal, const Observation& seen, const HeldAmounts& held, bool same,
                      Instant now) {
  if (signal != signal_) {
    rest_ = GrowthMeter(JitterOf(signal));
    pods_ = GrowthMeter(JitterOf(signal));
  } else if (!same) {
    rest_.Restart();
    pods_.Restart();
  }
  signal_ = signal;
  ending_ = held.ending;
  rest_.Seen(seen.capacity - seen.available - held.ending, now);
  pods_.Seen(held.pods, now);
}

PaceInput PaceKeeper::InputFor(Signal signal, std::optional<Instant> next_by_clock,
                               Instant now) const {
  PaceInput input{.signal = signal,
                  .kubelet_decides = KubeletDecides(signal, now),
                  .next_by_clock = next_by_clock};
  if (signal != signal_) return input;
  input.ending = ending_;
  input.growth = rest_.PerSecond(kGrowthLasts);
  input.growth_of_pods = pods_.PerSecond(kGrowthLasts).value_or(0);
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
