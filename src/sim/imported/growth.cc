#include "sim/imported/growth.h"

#include <algorithm>
#include <cstdint>

#include "sim/imported/track.h"

namespace jettison {
namespace {

// How much a figure would grow in this many more steps like the last one; 0 if it did not grow.
std::uint64_t GrowthAhead(std::uint64_t before, std::uint64_t now, double steps) {
  return now > before ? CountOf(static_cast<double>(now - before) * steps) : 0;
}

void GrowOn(const std::optional<std::uint64_t>& before, double steps,
            std::optional<std::uint64_t>& now) {
  if (before && now) *now += GrowthAhead(*before, *now, steps);
}

}  // namespace

void GrowOn(const std::optional<MemoryStats>& before, double steps, Instant at,
            std::optional<MemoryStats>& now) {
  if (!before || !now) return;
  const std::uint64_t more =
      std::min(GrowthAhead(*before->working_set_bytes, *now->working_set_bytes, steps),
               *now->available_bytes);
  now->time = at;
  *now->available_bytes -= more;
  *now->working_set_bytes += more;
}

void GrowOn(const PodStats& before, double steps, PodStats& now) {
  GrowOn(before.memory_working_set_bytes, steps, now.memory_working_set_bytes);
  for (ContainerStats& container : now.containers) {
    const auto known = std::ranges::find(before.containers, container.name, &ContainerStats::name);
    if (known == before.containers.end()) continue;
    GrowOn(known->memory_working_set_bytes, steps, container.memory_working_set_bytes);
  }
}

}  // namespace jettison
