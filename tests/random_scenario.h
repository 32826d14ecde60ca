#pragma once

#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/model/pressure.h"
#include "core/scenario/scenario.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_settings.h"
#include "tests/synthetic_node.h"

// Scenarios made at random, of every kind of disk, threshold and trouble; the same seed gives the
// same scenario.
namespace jettison {

inline PassPolicy SomePolicy(std::mt19937& random) {
  PassPolicy policy;
  policy.layout.dedicated_image_fs = random() % 2 == 0;
  policy.layout.dedicated_container_fs = policy.layout.dedicated_image_fs && random() % 2 == 0;
  const Duration grace = std::chrono::seconds(random() % 3 * 15);
  std::vector<Threshold> thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = Quantity::Of(100 << 20)},
      {.signal = Signal::kPidAvailable, .value = Quantity::Of(1000), .grace_period = {}},
      {.signal = Signal::kNodeFsAvailable,
       .value = Percentage{0.5F},
       .grace_period = grace,
       .min_reclaim = Quantity::Of(1 << 30)},
      {.signal = Signal::kImageFsInodesFree, .value = Percentage{0.25F}}};
  if (random() % 2 == 0) {
    thresholds = WithKubeletLines(
        std::move(thresholds),
        {{.signal = Signal::kMemoryAvailable, .value = Quantity::Of(40 << 20)},
         {.signal = Signal::kNodeFsAvailable, .value = Percentage{0.2F}, .grace_period = grace}});
  }
  if (random() % 2 == 0) {
    thresholds.push_back({.signal = Signal::kMemoryPressureFullAvg10, .value = LeftOf(4000)});
    thresholds.push_back({.signal = Signal::kIoPressureSomeAvg60,
                          .value = LeftOf(2550),
                          .grace_period = std::chrono::seconds(15)});
  }
  if (random() % 3 == 0) {
    thresholds.push_back({.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}});
  }
  policy.thresholds = ThresholdsFor(thresholds, policy.layout);
  policy.pressure_transition_period = std::chrono::seconds(random() % 60);
  policy.max_pod_grace_period_seconds = static_cast<std::int64_t>(random() % 60);
  policy.hard_first = policy.max_pod_grace_period_seconds % 4 == 0;
  return policy;
}

inline ScenarioStep SomeStep(const SyntheticNode& node, Duration at, Instant now,
                             std::mt19937& random) {
  ScenarioStep step;
  step.at = at;
  step.summary = node.summary;
  auto& stats = step.summary.node;
  stats.memory->available_bytes = random() % (200U << 20);
  stats.memory->time = now;
  const auto share = [&] { return static_cast<std::int32_t>(random() % 10'001); };
  stats.memory_pressure =
      PressureStats{.time = now, .some = {.avg60 = share()}, .full = {.avg10 = share()}};
  if (random() % 4 != 0) {
    stats.io_pressure = PressureStats{.time = now, .some = {.avg10 = share(), .avg60 = share()}};
  }
  if (random() % 2 == 0) {
    stats.swap =
        SwapStats{.time = now, .available_bytes = random() % (1U << 30), .usage_bytes = 3ULL << 30};
  }
  stats.fs->available_bytes = random() % (100ULL << 30);
  stats.image_fs->inodes_free = random() % 6'000'000;
  stats.rlimit->running = 4'194'304 - static_cast<std::int64_t>(random() % 2000);
  for (std::size_t i = 0; i < node.pods.size(); ++i) {
    if (random() % 5 != 0) step.active.push_back(i);
    if (random() % 4 == 0) step.admit.push_back(i);
    if (random() % 8 == 0) step.kill_errors.push_back(i);
  }
  if (random() % 2 == 0) step.summary_after_reclaim = node.summary;
  return step;
}

inline Scenario SomeScenario(std::uint32_t seed) {
  std::mt19937 random(seed);
  const SyntheticNode node(12, seed);
  Scenario scenario{.name = "recorded " + std::to_string(seed),
                    .start = Instant(std::chrono::hours(24 * 365 * 55)),
                    .policy = SomePolicy(random),
                    .profile = seed % 2 == 0 ? Profile::kKubelet : Profile::kStandalone,
                    .pods = {},
                    .steps = {}};
  for (const PodFacts& pod : node.facts)
    scenario.pods.push_back(FactsOf(pod.pod, scenario.profile));
  for (int i = 0; i < 6; ++i) {
    const Duration at = std::chrono::seconds(10 * i);
    scenario.steps.push_back(SomeStep(node, at, scenario.start + at, random));
  }
  return scenario;
}

}  // namespace jettison
