#include "sim/imported/memory_source.h"

#include <algorithm>
#include <cstdint>

namespace jettison {
namespace {

// cAdvisor tells 0 of a group that has no limit: that is no capacity.
std::optional<double> CapacityAt(const std::vector<const Track*>& capacities, Instant at) {
  for (const Track* capacity : capacities) {
    if (capacity == nullptr) continue;
    for (const auto& amount : {AmountAt(capacity, at), capacity->Last(at)}) {
      if (amount && *amount > 0) return amount;
    }
  }
  return std::nullopt;
}

std::optional<double> WorkingSetAt(const MemorySource& source, Instant at) {
  if (source.working_set != nullptr) return AmountAt(source.working_set, at);
  const auto anonymous = AmountAt(source.anonymous, at);
  const auto cached = AmountAt(source.cached, at);
  const auto inactive = AmountAt(source.inactive_file, at);
  if (!anonymous || !cached || !inactive) return std::nullopt;
  return *anonymous + *cached + AmountAt(source.buffers, at).value_or(0) - *inactive;
}

}  // namespace

std::optional<Instant> SampledAt(const Track* track, Instant at) {
  const auto reading = track == nullptr ? std::nullopt : track->At(at);
  if (!reading) return std::nullopt;
  return reading->how == TrackReading::How::kHeld ? reading->sampled : at;
}

const Track* MemorySource::clock() const {
  if (available != nullptr) return available;
  return working_set != nullptr ? working_set : anonymous;
}

std::optional<MemoryStats> MemorySource::At(Instant at) const {
  const auto capacity = CapacityAt(capacities, at);
  if (!capacity) return std::nullopt;
  auto left = AmountAt(available, at);
  if (available == nullptr) {
    if (const auto used = WorkingSetAt(*this, at)) left = std::max(*capacity - *used, 0.0);
  }
  if (!left) return std::nullopt;
  const std::uint64_t available_bytes = CountOf(*left);
  const std::uint64_t all = std::max(CountOf(*capacity), available_bytes);
  return MemoryStats{.time = SampledAt(clock(), at),
                     .available_bytes = available_bytes,
                     .usage_bytes = std::nullopt,
                     .working_set_bytes = all - available_bytes};
}

}  // namespace jettison
