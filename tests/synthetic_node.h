#pragma once

#include <fmt/format.h>

#include <random>
#include <vector>

#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// A node full of pods like those of the conformance vectors: one to three containers, some with
// requests, limits and volumes, a few critical. The same seed gives the same node.
class SyntheticNode {
 public:
  SyntheticNode(std::size_t pod_count, std::uint32_t seed) : random_(seed) {
    facts.reserve(pod_count);
    summary.pods.reserve(pod_count);
    for (std::size_t i = 0; i < pod_count; ++i) AddPod(i);
    for (const PodFacts& pod : facts) pods.push_back(&pod);
    FillNode();
  }
  SyntheticNode(const SyntheticNode&) = delete;
  SyntheticNode& operator=(const SyntheticNode&) = delete;

  std::vector<PodFacts> facts;
  std::vector<const PodFacts*> pods;
  Summary summary;

 private:
  static Quantity Mib(std::uint64_t n) { return Quantity::Of(static_cast<std::int64_t>(n) << 20); }

  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }

  Container MakeContainer(std::size_t i) {
    Container container{.name = fmt::format("c{}", i), .image = "registry.example/app:1"};
    if (!OneIn(3))
      container.resources.requests.emplace("memory", Mib(std::uint64_t{32} << Below(5)));
    if (OneIn(3)) container.resources.limits.emplace("memory", Mib(std::uint64_t{256} << Below(3)));
    if (OneIn(4))
      container.resources.requests.emplace("ephemeral-storage", Mib(std::uint64_t{1} << Below(10)));
    if (OneIn(8)) container.resources.limits.emplace("ephemeral-storage", Mib(64 << 10));
    return container;
  }

  Volume MakeVolume(std::size_t i) {
    Volume volume{.name = fmt::format("v{}", i), .source = HostPathSource{.path = "/data"}};
    if (OneIn(2)) volume.source = EmptyDirSource{.size_limit = Mib(64 << 10)};
    return volume;
  }

  FsUsage Usage() { return {.used_bytes = Below(1U << 31), .inodes_used = Below(1U << 18)}; }

  PodStats StatsFor(const Pod& pod) {
    PodStats stats{.uid = pod.uid, .name = pod.name, .namespace_ = pod.namespace_};
    std::uint64_t memory = 0;
    for (const Container& container : pod.containers) {
      const std::uint64_t used = Below(1U << 31);
      memory += used;
      stats.containers.push_back({.name = container.name,
                                  .memory_working_set_bytes = used,
                                  .rootfs = Usage(),
                                  .logs = Usage()});
    }
    for (const Volume& volume : pod.volumes) stats.volumes.push_back({volume.name, Usage()});
    stats.has_memory = true;
    stats.memory_working_set_bytes = memory;
    stats.ephemeral_storage = Usage();
    stats.process_count = Below(500);
    // From the other figures, so that those stay what they were.
    if (memory % 2 != 0) stats.swap_bytes = memory % 7 * (memory / 16);
    if (memory % 3 != 0) stats.io_some_avg10 = static_cast<std::int32_t>(memory % 5'000);
    return stats;
  }

  void AddPod(std::size_t i) {
    Pod pod{.name = fmt::format("app-{}", i)};
    pod.uid = fmt::format("{:08x}-0000-4000-8000-{:012x}", random_(), i);
    if (!OneIn(3)) pod.priority = static_cast<std::int32_t>(Below(4) * 1000);
    if (OneIn(25)) pod.priority = 2000000000;
    for (std::size_t c = 0; c <= Below(3); ++c) pod.containers.push_back(MakeContainer(c));
    for (std::size_t v = 0; v < Below(3); ++v) pod.volumes.push_back(MakeVolume(v));
    summary.pods.push_back(StatsFor(pod));
    facts.push_back(FactsOf(std::move(pod), Profile::kKubelet));
  }

  // Under memory pressure: 50 MiB left of 64 GiB; file systems and process ids in good health.
  void FillNode() {
    NodeStats& node = summary.node;
    node.memory = MemoryStats{.available_bytes = 50ULL << 20,
                              .working_set_bytes = (64ULL << 30) - (50ULL << 20)};
    node.pods_memory = node.memory;
    node.fs = FsStats{.available_bytes = 80ULL << 30,
                      .capacity_bytes = 100ULL << 30,
                      .used_bytes = 20ULL << 30,
                      .inodes_free = 5'000'000,
                      .inodes = 6'000'000,
                      .inodes_used = 1'000'000};
    node.image_fs = node.fs;
    node.container_fs = node.fs;
    node.rlimit = RlimitStats{.max_pid = 4'194'304, .running = 20'000};
  }

  std::mt19937 random_;
};

// The kubelet's defaults with the file-system thresholds spelt out, hard ones only.
inline std::vector<Threshold> DefaultThresholds() {
  return {{.signal = Signal::kMemoryAvailable, .value = Quantity::Of(100 << 20)},
          {.signal = Signal::kAllocatableMemoryAvailable, .value = Quantity::Of(100 << 20)},
          {.signal = Signal::kNodeFsAvailable, .value = Percentage{0.10F}},
          {.signal = Signal::kNodeFsInodesFree, .value = Percentage{0.05F}},
          {.signal = Signal::kImageFsAvailable, .value = Percentage{0.15F}},
          {.signal = Signal::kImageFsInodesFree, .value = Percentage{0.05F}},
          {.signal = Signal::kContainerFsAvailable, .value = Percentage{0.10F}},
          {.signal = Signal::kContainerFsInodesFree, .value = Percentage{0.05F}}};
}

}  // namespace jettison
