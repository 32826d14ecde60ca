#include "agent/disk/disk_walk_order.h"

#include <algorithm>
#include <compare>
#include <numeric>

namespace jettison {
namespace {

constexpr double kNear = 0.9;
constexpr double kNanosPerByte = 1e9;

double Bytes(Nanos amount) {
  return static_cast<double>(amount) / kNanosPerByte;
}

double Part(std::optional<std::uint64_t> used, double limit) {
  return limit > 0 ? static_cast<double>(used.value_or(0)) / limit : 0;
}

// The pod with the smallest key is walked first.
struct Key {
  bool seen = false;
  double minus_fullness = 0;  // 0 for all that are not near a limit
  double minus_growth = 0;
  std::string_view uid;
  friend std::partial_ordering operator<=>(const Key&, const Key&) = default;
};

Key KeyOf(const std::pair<std::string, const DiskHistory*>& pod) {
  const auto& [uid, history] = pod;
  if (history == nullptr) return {.uid = uid};
  return {.seen = true,
          .minus_fullness = history->fullness >= kNear ? -history->fullness : 0,
          .minus_growth = -static_cast<double>(history->grown_bytes),
          .uid = uid};
}

}  // namespace

DiskLimits DiskLimitsOf(const PodFacts& facts) {
  DiskLimits limits;
  if (facts.ephemeral_storage_limit) limits.pod = Bytes(*facts.ephemeral_storage_limit);
  for (const StorageLimit& limit : facts.empty_dir_limits) {
    limits.volumes.emplace_back(limit.name, Bytes(limit.limit));
  }
  for (const StorageLimit& limit : facts.container_limits) {
    limits.containers.emplace_back(limit.name, Bytes(limit.limit));
  }
  return limits;
}

double FullnessOf(const PodDiskUse& use, const DiskLimits& limits) {
  double fullness = limits.pod ? Part(use.total.used_bytes, *limits.pod) : 0;
  for (const auto& [name, limit] : limits.volumes) {
    const auto volume = std::ranges::find(use.volumes, name, &VolumeStats::name);
    if (volume == use.volumes.end()) continue;
    fullness = std::max(fullness, Part(volume->usage.used_bytes, limit));
  }
  for (const auto& [name, limit] : limits.containers) {
    const auto found = std::ranges::find(use.containers, name, &PodDiskUse::OfContainer::name);
    if (found == use.containers.end()) continue;
    const std::uint64_t used =
        found->rootfs.used_bytes.value_or(0) + found->logs.used_bytes.value_or(0);
    fullness = std::max(fullness, Part(used, limit));
  }
  return fullness;
}

std::vector<std::size_t> DiskWalkOrder(
    std::span<const std::pair<std::string, const DiskHistory*>> pods) {
  std::vector<std::size_t> order(pods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order,
                    [&](std::size_t a, std::size_t b) { return KeyOf(pods[a]) < KeyOf(pods[b]); });
  return order;
}

}  // namespace jettison
