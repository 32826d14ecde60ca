#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/json/field_writer.h"
#include "core/model/summary.h"
#include "core/pass/pass_policy.h"

namespace jettison {

// Every field of what a recording holds, once: for its bytes and for its JSON, for the writer and
// the reader. An archive is called with a name and a field; a set of flags is told as a number.
//
//   template <typename Archive, FormOf<MemoryStats> T>
//   void ListFields(Archive& fields, T& memory);

template <typename Archive, FormOf<MemoryStats> T>
void ListFields(Archive& fields, T& memory) {
  fields("time", memory.time);
  fields("availableBytes", memory.available_bytes);
  fields("usageBytes", memory.usage_bytes);
  fields("workingSetBytes", memory.working_set_bytes);
  fields("sharedBytes", memory.shared_bytes);
  fields("kernelBytes", memory.kernel_bytes);
}

template <typename Archive, FormOf<SwapStats> T>
void ListFields(Archive& fields, T& swap) {
  fields("time", swap.time);
  fields("availableBytes", swap.available_bytes);
  fields("usageBytes", swap.usage_bytes);
}

template <typename Archive, FormOf<FsStats> T>
void ListFields(Archive& fields, T& fs) {
  fields("time", fs.time);
  fields("availableBytes", fs.available_bytes);
  fields("capacityBytes", fs.capacity_bytes);
  fields("usedBytes", fs.used_bytes);
  fields("inodesFree", fs.inodes_free);
  fields("inodes", fs.inodes);
  fields("inodesUsed", fs.inodes_used);
}

template <typename Archive, FormOf<FsUsage> T>
void ListFields(Archive& fields, T& usage) {
  fields("usedBytes", usage.used_bytes);
  fields("inodesUsed", usage.inodes_used);
}

template <typename Archive, FormOf<RlimitStats> T>
void ListFields(Archive& fields, T& rlimit) {
  fields("time", rlimit.time);
  fields("maxPid", rlimit.max_pid);
  fields("running", rlimit.running);
}

template <typename Archive, FormOf<StallShares> T>
void ListFields(Archive& fields, T& shares) {
  fields("avg10", shares.avg10);
  fields("avg60", shares.avg60);
}

template <typename Archive, FormOf<PressureStats> T>
void ListFields(Archive& fields, T& pressure) {
  fields("time", pressure.time);
  fields("some", pressure.some);
  fields("full", pressure.full);
}

template <typename Archive, FormOf<NodeStats> T>
void ListFields(Archive& fields, T& node) {
  // Names each member: what is not listed is missing from recordings.
  auto& [name, memory, pods_memory, swap, fs, image_fs, container_fs, rlimit, memory_pressure,
         io_pressure] = node;
  fields("name", name);
  fields("memory", memory);
  fields("podsMemory", pods_memory);
  fields("swap", swap);
  fields("fs", fs);
  fields("imageFs", image_fs);
  fields("containerFs", container_fs);
  fields("rlimit", rlimit);
  fields("memoryPressure", memory_pressure);
  fields("ioPressure", io_pressure);
}

template <typename Archive, FormOf<ContainerStats> T>
void ListFields(Archive& fields, T& container) {
  fields("name", container.name);
  fields("workingSetBytes", container.memory_working_set_bytes);
  fields("rootfs", container.rootfs);
  fields("logs", container.logs);
}

template <typename Archive, FormOf<VolumeStats> T>
void ListFields(Archive& fields, T& volume) {
  fields("name", volume.name);
  fields("usage", volume.usage);
}

template <typename Archive, FormOf<StaleDisk> T>
void ListFields(Archive& fields, T& stale) {
  fields("measuredAt", stale.measured_at);
}

template <typename Archive, FormOf<PodStats> T>
void ListFields(Archive& fields, T& pod) {
  // In the order of the members, or one would be told under the name of another.
  auto& [uid, name, space, processes, working_set, containers, volumes, ephemeral, stale,
         has_memory, swap, io] = pod;
  fields("uid", uid);
  fields("name", name);
  fields("namespace", space);
  fields("processCount", processes);
  fields("containers", containers);
  fields("volumes", volumes);
  fields("workingSetBytes", working_set);
  fields("ephemeralStorage", ephemeral);
  fields("staleDisk", stale);
  fields("hasMemory", has_memory);
  fields("swapBytes", swap);
  fields("ioSomeAvg10", io);
}

template <typename Archive, FormOf<Summary> T>
void ListFields(Archive& fields, T& summary) {
  fields("node", summary.node);
  fields("pods", summary.pods);
}

template <typename Archive, FormOf<KubeletLine> T>
void ListFields(Archive& fields, T& line) {
  fields("value", line.value);
  fields("gracePeriod", line.grace_period);
}

// Where fields have no names, KubeletLines and KubeletCrossings have what there is beside a
// kubelet, so that recordings can be read that were made before.
template <typename Archive, FormOf<Threshold> T>
void ListFields(Archive& fields, T& threshold) {
  fields("signal", threshold.signal);
  fields("value", threshold.value);
  fields("gracePeriod", threshold.grace_period);
  fields("minReclaim", threshold.min_reclaim);
  if constexpr (!std::remove_const_t<Archive>::kIsByPlace) fields("kubelet", threshold.kubelet);
}

template <typename Archive, FormOf<DiskLayout> T>
void ListFields(Archive& fields, T& layout) {
  fields("dedicatedImageFs", layout.dedicated_image_fs);
  fields("dedicatedContainerFs", layout.dedicated_container_fs);
}

template <typename Archive, FormOf<PassPolicy> T>
void ListFields(Archive& fields, T& policy) {
  auto& [thresholds, transition, grace, isolation, layout, hard_first] = policy;
  fields("thresholds", thresholds);
  fields("pressureTransitionPeriod", transition);
  fields("maxPodGracePeriodSeconds", grace);
  fields("localStorageCapacityIsolation", isolation);
  fields("disk", layout);
  fields("hardFirst", hard_first);
}

template <typename Archive, FormOf<Observation> T>
void ListFields(Archive& fields, T& observation) {
  fields("available", observation.available);
  fields("capacity", observation.capacity);
  fields("time", observation.time);
}

template <typename Archive, FormOf<Observations> T>
void ListFields(Archive& fields, T& observations) {
  fields("bySignal", observations.by_signal);
}

template <typename Archive, FormOf<EvictionMark> T>
void ListFields(Archive& fields, T& mark) {
  fields("at", mark.at);
  fields("available", mark.available);
}

template <typename Archive, FormOf<EvictionState> T>
void ListFields(Archive& fields, T& state) {
  auto& [met, first_observed_at, kubelet_line_crossed_at, condition_last_observed_at, observations,
         conditions, last_eviction] = state;
  fields("met", met);
  fields("firstObservedAt", first_observed_at);
  if constexpr (!std::remove_const_t<Archive>::kIsByPlace) {
    fields("kubeletLineCrossedAt", kubelet_line_crossed_at);
  }
  fields("conditionLastObservedAt", condition_last_observed_at);
  fields("lastObservations", observations);
  fields("conditions", conditions);
  fields("lastEviction", last_eviction);
}

template <typename Archive, FormOf<Evaluation> T>
void ListFields(Archive& fields, T& evaluation) {
  auto& [met, overdue, acting, in_margin, next] = evaluation;
  fields("met", met);
  fields("overdue", overdue);
  fields("acting", acting);
  if constexpr (!std::remove_const_t<Archive>::kIsByPlace) fields("inMargin", in_margin);
  fields("next", next);
}

// The lines of a policy's thresholds, and what a pass found of them.
using KubeletLines = std::vector<std::optional<KubeletLine>>;

struct KubeletCrossings {
  std::array<std::optional<Instant>, kMaxThresholds> before;
  std::array<std::optional<Instant>, kMaxThresholds> next;
  ThresholdSet in_margin;
};
template <typename Archive, FormOf<KubeletCrossings> T>
void ListFields(Archive& fields, T& crossings) {
  fields("before", crossings.before);
  fields("next", crossings.next);
  fields("inMargin", crossings.in_margin);
}

}  // namespace jettison
