#include "codec/flight/values/node_row.h"

#include "codec/flight/values/slots.h"

namespace jettison {
namespace {

// What is available and what is used nearly add up, so their sum is told.
template <typename Slots, typename Memory>
void VisitMemory(Slots& slots, Memory& memory) {
  slots.Time(memory.time);
  slots.Amount(memory.available_bytes);
  slots.Amount(memory.working_set_bytes, 0 - OrZero(memory.available_bytes));
  slots.Amount(memory.usage_bytes, OrZero(memory.working_set_bytes));
  slots.Amount(memory.shared_bytes);
  slots.Amount(memory.kernel_bytes);
}

// `like`: another file system, which may be the same.
template <typename Slots, typename Fs>
void VisitFs(Slots& slots, Fs& fs, const FsStats& like) {
  slots.Time(fs.time);
  slots.Amount(fs.capacity_bytes, OrZero(like.capacity_bytes));
  const bool same = fs.capacity_bytes == like.capacity_bytes;
  slots.Amount(fs.available_bytes, same ? OrZero(like.available_bytes) : 0);
  slots.Amount(fs.used_bytes, 0 - OrZero(fs.available_bytes));
  slots.Amount(fs.inodes, same ? OrZero(like.inodes) : 0);
  slots.Amount(fs.inodes_free, same ? OrZero(like.inodes_free) : 0);
  slots.Amount(fs.inodes_used, 0 - OrZero(fs.inodes_free));
}

template <typename Slots, typename Shares>
void VisitShares(Slots& slots, Shares& shares) {
  slots.Amount(shares.avg10);
  slots.Amount(shares.avg60);
}

template <typename Slots, typename Pressure>
void VisitPressure(Slots& slots, Pressure& pressure) {
  slots.Time(pressure.time);
  VisitShares(slots, pressure.some);
  VisitShares(slots, pressure.full);
}

template <typename Slots, typename Node>
void VisitNode(Slots& slots, Node& node) {
  VisitMemory(slots, slots.Part(node.memory));
  VisitMemory(slots, slots.Part(node.pods_memory));
  auto& swap = slots.Part(node.swap);
  slots.Time(swap.time);
  slots.Amount(swap.available_bytes);
  slots.Amount(swap.usage_bytes);
  VisitFs(slots, slots.Part(node.fs), FsStats{});
  const FsStats fs = node.fs.value_or(FsStats{});
  VisitFs(slots, slots.Part(node.image_fs), fs);
  VisitFs(slots, slots.Part(node.container_fs), fs);
  auto& rlimit = slots.Part(node.rlimit);
  slots.Time(rlimit.time);
  slots.Amount(rlimit.max_pid);
  slots.Amount(rlimit.running);
  VisitPressure(slots, slots.Part(node.memory_pressure));
  VisitPressure(slots, slots.Part(node.io_pressure));
}

}  // namespace

void PutNode(const NodeStats& node, Instant at, std::span<std::uint64_t, kNodeRowWidth> row) {
  SlotWriter slots(row);
  slots.Begin(at);
  VisitNode(slots, node);
}

void TakeNode(std::span<const std::uint64_t, kNodeRowWidth> row, Instant at, NodeStats& into) {
  SlotReader slots(row);
  slots.Begin(at);
  VisitNode(slots, into);
}

}  // namespace jettison
