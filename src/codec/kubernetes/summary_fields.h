#pragma once

#include "core/json/json_writer.h"
#include "core/model/summary.h"

namespace jettison {

// The figures of a stats summary, each with its name in the kubelet's JSON: one list for who reads
// it (ReadSummary) and who writes it (WriteSummary).

template <typename Archive, FormOf<MemoryStats> T>
void VisitFields(Archive& fields, T& memory) {
  fields("time", memory.time);
  fields("availableBytes", memory.available_bytes);
  fields("usageBytes", memory.usage_bytes);
  fields("workingSetBytes", memory.working_set_bytes);
  fields("sharedBytes", memory.shared_bytes);
  fields("kernelBytes", memory.kernel_bytes);
}

template <typename Archive, FormOf<SwapStats> T>
void VisitFields(Archive& fields, T& swap) {
  fields("time", swap.time);
  fields("swapAvailableBytes", swap.available_bytes);
  fields("swapUsageBytes", swap.usage_bytes);
}

template <typename Archive, FormOf<FsStats> T>
void VisitFields(Archive& fields, T& fs) {
  fields("time", fs.time);
  fields("availableBytes", fs.available_bytes);
  fields("capacityBytes", fs.capacity_bytes);
  fields("usedBytes", fs.used_bytes);
  fields("inodesFree", fs.inodes_free);
  fields("inodes", fs.inodes);
  fields("inodesUsed", fs.inodes_used);
}

template <typename Archive, FormOf<FsUsage> T>
void VisitFields(Archive& fields, T& usage) {
  fields("usedBytes", usage.used_bytes);
  fields("inodesUsed", usage.inodes_used);
}

template <typename Archive, FormOf<RlimitStats> T>
void VisitFields(Archive& fields, T& rlimit) {
  fields("time", rlimit.time);
  fields("maxpid", rlimit.max_pid);
  fields("curproc", rlimit.running);
}

template <typename Archive, FormOf<StallShares> T>
void VisitFields(Archive& fields, T& shares) {
  fields.Share("avg10", shares.avg10);
  fields.Share("avg60", shares.avg60);
}

// The object "psi"; its time stands beside it.
template <typename Archive, FormOf<PressureStats> T>
void VisitFields(Archive& fields, T& pressure) {
  fields("full", pressure.full);
  fields("some", pressure.some);
}

// The figures of a node that have an object of their own there. The others stand elsewhere.
template <typename Archive, FormOf<NodeStats> T>
void VisitFields(Archive& fields, T& node) {
  fields("swap", node.swap);
  fields("fs", node.fs);
  fields("rlimit", node.rlimit);
}

// Ours alone: a kubelet does not tell how old its figures of files are.
template <typename Archive, FormOf<StaleDisk> T>
void VisitFields(Archive& fields, T& stale) {
  fields("measuredAt", stale.measured_at);
}

}  // namespace jettison
