#include "sim/recommend/policy_costs.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/report/report_words.h"

namespace jettison {
namespace {

auto OrderOf(const PolicyCosts& costs) {
  return std::tuple(costs.idle_milli_gib_hours, costs.evictions, costs.oom_kills);
}

bool IsForMemory(const SimulatedEviction& eviction) {
  return !eviction.limit && ResourceOf(eviction.signal) == Resource::kMemory;
}

}  // namespace

PolicyCosts& PolicyCosts::operator+=(const PolicyCosts& other) {
  evictions += other.evictions;
  memory_evictions += other.memory_evictions;
  oom_kills += other.oom_kills;
  idle_milli_gib_hours += other.idle_milli_gib_hours;
  pod_time_lost += other.pod_time_lost;
  condition_time += other.condition_time;
  return *this;
}

PolicyCosts CostsOf(const PolicyOutcome& outcome) {
  return {.evictions = outcome.evictions.size(),
          .memory_evictions =
              static_cast<std::uint64_t>(std::ranges::count_if(outcome.evictions, IsForMemory)),
          .oom_kills = outcome.oom_kills.size(),
          .idle_milli_gib_hours = std::llround(outcome.IdleGibHours() * 1000),
          .pod_time_lost = outcome.pod_time_lost,
          .condition_time = outcome.condition_time.Sum()};
}

bool Dominates(const PolicyCosts& a, const PolicyCosts& b) {
  return a.evictions <= b.evictions && a.oom_kills <= b.oom_kills &&
         a.idle_milli_gib_hours <= b.idle_milli_gib_hours && OrderOf(a) != OrderOf(b);
}

std::vector<std::size_t> ParetoFront(std::span<const PolicyCosts> costs) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    bool stands = true;
    for (std::size_t j = 0; j < costs.size() && stands; ++j) {
      const bool same_before = j < i && OrderOf(costs[i]) == OrderOf(costs[j]);
      stands = !same_before && !Dominates(costs[j], costs[i]);
    }
    if (stands) front.push_back(i);
  }
  std::ranges::sort(front, {}, [&](std::size_t i) { return OrderOf(costs[i]); });
  return front;
}

}  // namespace jettison
