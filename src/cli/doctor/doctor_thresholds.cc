#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/doctor/doctor_checks.h"
#include "core/evaluate/evaluate.h"
#include "core/thresholds/threshold_text.h"

namespace jettison {

std::optional<HostCheck> ThresholdBeyondMemory(const AgentConfig& config, std::uint64_t capacity) {
  const auto memory = static_cast<std::int64_t>(capacity);
  for (const Threshold& threshold : config.eviction.thresholds) {
    if (threshold.signal != Signal::kMemoryAvailable) continue;
    if (QuantityOf(threshold.value, memory).Value() < memory) continue;
    const std::string_view field = threshold.IsHard() ? "evictionHard" : "evictionSoft";
    return HostCheck{
        .check = "memory threshold",
        .status = HostStatus::kMissing,
        .found = fmt::format("{} memory.available {}, on a node of {}", field,
                             ThresholdText(threshold.value), Mebibytes(capacity)),
        .cost = "the threshold is always met: the agent evicts every pod that it may",
        .remedy = fmt::format("set {}'s memory.available below {}", field, Mebibytes(capacity))};
  }
  return std::nullopt;
}

}  // namespace jettison
