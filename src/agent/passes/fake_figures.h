#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"
#include "ports/clock.h"

namespace jettison {

inline constexpr std::uint64_t kMi = 1 << 20;

inline Pod PodNamed(const std::string& name) {
  Pod pod;
  pod.name = name;
  pod.uid = name;
  pod.containers.emplace_back().name = "c";
  return pod;
}

// Figures as the test sets them; counts how often pods were read.
class FakeFigures : public Figures {
 public:
  explicit FakeFigures(const Clock& clock) : clock_(clock) {}

  NodeStats ReadNode() override {
    ++looks;
    NodeStats stats = node;
    if (stats.memory) stats.memory->time = clock_.Now();
    if (stats.pods_memory) stats.pods_memory->time = clock_.Now();
    if (stats.fs) stats.fs->time = clock_.Now();
    if (stats.rlimit) stats.rlimit->time = clock_.Now();
    if (stats.swap) stats.swap->time = clock_.Now();
    if (stats.memory_pressure) stats.memory_pressure->time = clock_.Now();
    return stats;
  }
  void AfterFullPass() override { ++full_passes; }
  void ReadPods(std::span<const PodFacts* const> pods, const DiskUse* disk,
                std::vector<PodStats>& stats) override {
    ++readings;
    stats.clear();
    for (const PodFacts* facts : pods) {
      PodStats& pod = stats.emplace_back();
      pod.uid = facts->pod.uid;
      pod.has_memory = true;
      pod.memory_working_set_bytes = memory[facts->pod.name];
      if (tasks.contains(facts->pod.name)) pod.process_count = tasks[facts->pod.name];
      if (swap.contains(facts->pod.name)) pod.swap_bytes = swap[facts->pod.name];
      if (disk == nullptr) continue;
      const auto use = disk->find(pod.uid);
      if (use == disk->end()) continue;
      pod.ephemeral_storage = use->second.total;
      pod.volumes = use->second.volumes;
      for (const auto& container : use->second.containers) {
        pod.containers.push_back(
            {.name = container.name, .rootfs = container.rootfs, .logs = container.logs});
      }
    }
  }
  void ReadMemoryOf(std::span<const PodFacts* const> pods, std::vector<PodStats>& stats) override {
    ++memory_reads;
    ReadPods(pods, nullptr, stats);
  }
  void ReadContainersOf(const PodFacts& pod, PodStats& stats) override {
    stats.containers.resize(1);
    stats.containers[0].name = pod.pod.containers[0].name;
    stats.containers[0].memory_working_set_bytes = memory[pod.pod.name];
  }
  void ForgetOthers(std::span<const PodFacts* const> pods) override { kept_open = pods.size(); }
  void SetAvailable(std::uint64_t mi, std::uint64_t inactive_mi = 0) {
    node.memory = MemoryStats{.time = std::nullopt,
                              .available_bytes = mi * kMi,
                              .usage_bytes = (500 - mi + inactive_mi) * kMi,
                              .working_set_bytes = (500 - mi) * kMi};
  }

  NodeStats node;
  // Lost to waiting for memory in the last ten seconds, hundredths of a percent.
  void SetStalls(std::int32_t share) {
    node.memory_pressure = PressureStats{.some = {.avg10 = share}};
  }

  int readings = 0;                             // of all pods, whichever figures
  int memory_reads = 0;                         // of all pods
  int looks = 0;                                // at the node
  int full_passes = 0;                          // that were told
  std::size_t kept_open = 0;                    // pods of which files may be open
  std::map<std::string, std::uint64_t> memory;  // by pod name
  std::map<std::string, std::uint64_t> swap;    // the same
  std::map<std::string, std::uint64_t> tasks;   // the same

 private:
  const Clock& clock_;
};

}  // namespace jettison
