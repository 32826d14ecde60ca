#include "sim/whatif/policy_lines.h"

#include <algorithm>
#include <limits>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

constexpr Nanos kNanosPerUnit = 1'000'000'000;

// The smallest whole amount that is not below the line.
std::int64_t WholeLine(const ThresholdValue& value, std::int64_t capacity) {
  const Nanos nanos = QuantityOf(value, capacity).ToNanos();
  const Nanos whole =
      nanos >= 0 ? (nanos + kNanosPerUnit - 1) / kNanosPerUnit : -(-nanos / kNanosPerUnit);
  constexpr Nanos kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(whole, -kMost, kMost));
}

}  // namespace

PolicyLines::PolicyLines(const std::vector<Threshold>& thresholds) {
  for (const Threshold& threshold : thresholds) {
    lines_.push_back(
        {.signal = threshold.signal, .hard = threshold.IsHard(), .value = threshold.value});
  }
}

std::int64_t PolicyLines::LineOf(std::size_t threshold, std::int64_t capacity) const {
  Line& line = lines_[threshold];
  if (line.capacity != capacity) {
    line.capacity = capacity;
    line.amount = WholeLine(line.value, capacity);
  }
  return line.amount;
}

bool PolicyLines::MeetsNone(const Observations& seen) const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const auto& observed = seen[lines_[i].signal];
    if (observed && observed->available < LineOf(i, observed->capacity)) return false;
  }
  return true;
}

std::int64_t PolicyLines::Reserved(const Observations& seen) const {
  const auto& memory = seen[Signal::kMemoryAvailable];
  if (!memory) return 0;
  std::int64_t reserved = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].signal != Signal::kMemoryAvailable || !lines_[i].hard) continue;
    reserved = std::max(reserved, LineOf(i, memory->capacity));
  }
  return reserved;
}

}  // namespace jettison
