#pragma once

#include <fmt/format.h>

#include <chrono>

#include "api/overview/overview.h"

// Overviews for tests of what shows them.
namespace jettison::overview_test {

inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;

inline Instant At(double seconds) {
  const auto day = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21);
  return day + std::chrono::hours(12) +
         std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

inline OverviewSignal Memory() {
  return {.signal = Signal::kMemoryAvailable,
          .available = 98 * kMiB,
          .capacity = 512 * kMiB,
          .trend_per_second = -40 * kMiB,
          .thresholds = {{.hard = true,
                          .value = "100Mi",
                          .amount = 100 * kMiB,
                          .min_reclaim = {},
                          .met = true,
                          .overdue = true,
                          .since = At(-3)},
                         {.hard = false,
                          .value = "50%",
                          .amount = 256 * kMiB,
                          .min_reclaim = {},
                          .grace_period = std::chrono::seconds(90),
                          .met = true,
                          .since = At(-12)}}};
}

inline OverviewSignal Disk() {
  return {.signal = Signal::kNodeFsAvailable,
          .available = 14'336 * kMiB,
          .capacity = 65'536 * kMiB,
          .trend_per_second = -300 * kMiB,
          .thresholds = {{.hard = true,
                          .value = "10%",
                          .amount = 6554 * kMiB,
                          .min_reclaim = "1Gi",
                          .time_to = std::chrono::seconds(27)}}};
}

inline OverviewPod Running(const std::string& name, std::optional<std::int64_t> place) {
  return {.namespace_ = "default",
          .name = name,
          .uid = name + "-uid",
          .place = place,
          .qos = "Burstable",
          .activity = "running",
          .phase = "Running",
          .reason = {},
          .memory_bytes = 164 * kMiB,
          .request_bytes = 32 * kMiB,
          .processes = 3,
          .ephemeral_bytes = 4096,
          .over_request = true,
          .excess = 132 * kMiB,
          .why = "usage minus request"};
}

// A pod that has never run, because memory was short when it was to start.
inline OverviewPod Refused(const std::string& name) {
  OverviewPod pod = Running(name, std::nullopt);
  pod.activity = "waiting";
  pod.phase = "Failed";
  pod.reason = "Evicted";
  pod.memory_bytes.reset();
  pod.excess.reset();
  pod.why.clear();
  pod.refused_for = "MemoryPressure";
  return pod;
}

inline OverviewEvent RefusalOf(const std::string& name) {
  return {.at = At(-1),
          .type = "Warning",
          .object = "default/" + name,
          .reason = "Evicted",
          .message = "The node had condition: [MemoryPressure]. ",
          .refused_for = "MemoryPressure"};
}

// Memory is short: the leaker is on its way out, and so many pods run.
inline Overview UnderPressure(std::int64_t pods = 3) {
  Overview overview;
  overview.at = At(0);
  overview.node = "edge-7";
  overview.version = "0.1.0";
  overview.started_at = At(-3 * 3600);
  overview.phase = "waiting for clean-up";
  overview.conditions = {{.type = "DiskPressure",
                          .status = false,
                          .since = At(-3 * 3600),
                          .reason = "KubeletHasNoDiskPressure",
                          .message = "kubelet has no disk pressure"},
                         {.type = "MemoryPressure",
                          .status = true,
                          .since = At(-3),
                          .reason = "KubeletHasInsufficientMemory",
                          .message = "kubelet has insufficient memory available"}};
  overview.taints = {{.key = "node.kubernetes.io/memory-pressure", .effect = "NoSchedule"}};
  overview.signals = {Memory(), Disk()};
  for (std::int64_t i = 1; i <= pods; ++i) {
    overview.pods.push_back(Running(fmt::format("web-{}", i), i));
  }
  OverviewPod leaker = Running("leaker", std::nullopt);
  leaker.activity = "terminating";
  leaker.reason = "Evicted";
  leaker.evictions = 1;
  leaker.excess.reset();
  leaker.why.clear();
  overview.pods.push_back(leaker);
  overview.pods_measured_at = At(-2);
  overview.events = {{.at = At(-2),
                      .type = "Warning",
                      .object = "default/leaker",
                      .reason = "Evicted",
                      .message = "The node was low on resource: memory. Threshold quantity: 100Mi, "
                                 "available: 102124Ki. "}};
  overview.passes = 1234;
  overview.last_pass = OverviewPass{.at = At(-2),
                                    .acting_for = "memory.available",
                                    .evictions = {"leaker-uid"},
                                    .reclaim_steps = {"images"}};
  return overview;
}

}  // namespace jettison::overview_test
