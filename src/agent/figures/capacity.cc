#include "agent/figures/capacity.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <limits>

#include "core/model/pod_resources.h"

namespace jettison {
namespace {

// More than any pod requests, and small enough that sums do not overflow.
constexpr Nanos kUnlimited = std::numeric_limits<Nanos>::max() / 4;

}  // namespace

ResourceList NodeCapacity(std::uint64_t memory_bytes, const std::optional<FsStats>& node_fs) {
  ResourceList capacity;
  capacity["cpu"] = Quantity::Of(::get_nprocs(), QuantityFormat::kDecimalSI);
  capacity["memory"] = Quantity::Of(static_cast<std::int64_t>(memory_bytes));
  if (node_fs && node_fs->capacity_bytes) {
    capacity["ephemeral-storage"] =
        Quantity::Of(static_cast<std::int64_t>(*node_fs->capacity_bytes));
  }
  return capacity;
}

SharedAmounts SharedAmong(const AgentConfig& config, const ResourceList& capacity) {
  const ResourceList allocatable =
      NodeAllocatable(capacity, config.reservation, config.eviction.thresholds);
  SharedAmounts amounts{};
  std::ranges::transform(kSharedResources, amounts.begin(), [&](std::string_view resource) {
    const Quantity* amount = FindResource(allocatable, resource);
    return amount != nullptr ? amount->ToNanos() : kUnlimited;
  });
  return amounts;
}

}  // namespace jettison
