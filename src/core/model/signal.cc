#include "core/model/signal.h"

namespace jettison {
namespace {

// Each function returns an empty text for a number without an enumerator, which only IsComplete
// passes.
constexpr std::string_view TextOf(Signal signal) {
  switch (signal) {
    case Signal::kMemoryAvailable: return "memory.available";
    case Signal::kAllocatableMemoryAvailable: return "allocatableMemory.available";
    case Signal::kMemoryPressureFullAvg10: return "memory.pressure.full.avg10";
    case Signal::kMemoryPressureFullAvg60: return "memory.pressure.full.avg60";
    case Signal::kMemoryPressureSomeAvg10: return "memory.pressure.some.avg10";
    case Signal::kMemoryPressureSomeAvg60: return "memory.pressure.some.avg60";
    case Signal::kSwapAvailable: return "swap.available";
    case Signal::kNodeFsAvailable: return "nodefs.available";
    case Signal::kNodeFsInodesFree: return "nodefs.inodesFree";
    case Signal::kImageFsAvailable: return "imagefs.available";
    case Signal::kImageFsInodesFree: return "imagefs.inodesFree";
    case Signal::kContainerFsAvailable: return "containerfs.available";
    case Signal::kContainerFsInodesFree: return "containerfs.inodesFree";
    case Signal::kPidAvailable: return "pid.available";
    case Signal::kIoPressureFullAvg10: return "io.pressure.full.avg10";
    case Signal::kIoPressureFullAvg60: return "io.pressure.full.avg60";
    case Signal::kIoPressureSomeAvg10: return "io.pressure.some.avg10";
    case Signal::kIoPressureSomeAvg60: return "io.pressure.some.avg60";
  }
  return {};
}

constexpr std::string_view TextOf(Resource resource) {
  switch (resource) {
    case Resource::kMemory: return "memory";
    case Resource::kSwap: return "swap";
    case Resource::kEphemeralStorage: return "ephemeral-storage";
    case Resource::kInodes: return "inodes";
    case Resource::kPids: return "pids";
    case Resource::kIo: return "io";
  }
  return {};
}

// Whether a list has each enumerator at the index of its number, so that arrays with the length of
// the list can be indexed by the enumerator.
template <typename Enum, std::size_t kCount>
constexpr bool IsComplete(const std::array<Enum, kCount>& list) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (static_cast<std::size_t>(list[i]) != i || TextOf(list[i]).empty()) return false;
  }
  return TextOf(static_cast<Enum>(kCount)).empty();
}
static_assert(IsComplete(kAllSignals), "kAllSignals must list every Signal as it is declared");
static_assert(IsComplete(kAllResources),
              "kAllResources must list every Resource as it is declared");

}  // namespace

std::string_view NameOf(Signal signal) {
  return TextOf(signal);
}

std::optional<Signal> SignalNamed(std::string_view name) {
  for (Signal signal : kAllSignals) {
    if (NameOf(signal) == name) return signal;
  }
  return std::nullopt;
}

std::string_view NameOf(Resource resource) {
  return TextOf(resource);
}

Resource ResourceOf(Signal signal) {
  switch (signal) {
    case Signal::kMemoryAvailable:
    case Signal::kAllocatableMemoryAvailable:
    case Signal::kMemoryPressureFullAvg10:
    case Signal::kMemoryPressureFullAvg60:
    case Signal::kMemoryPressureSomeAvg10:
    case Signal::kMemoryPressureSomeAvg60: return Resource::kMemory;
    case Signal::kSwapAvailable: return Resource::kSwap;
    case Signal::kNodeFsAvailable:
    case Signal::kImageFsAvailable:
    case Signal::kContainerFsAvailable: return Resource::kEphemeralStorage;
    case Signal::kNodeFsInodesFree:
    case Signal::kImageFsInodesFree:
    case Signal::kContainerFsInodesFree: return Resource::kInodes;
    case Signal::kPidAvailable: return Resource::kPids;
    case Signal::kIoPressureFullAvg10:
    case Signal::kIoPressureFullAvg60:
    case Signal::kIoPressureSomeAvg10:
    case Signal::kIoPressureSomeAvg60: return Resource::kIo;
  }
  __builtin_unreachable();
}

std::string_view NameOf(NodeConditionType type) {
  switch (type) {
    case NodeConditionType::kMemoryPressure: return "MemoryPressure";
    case NodeConditionType::kDiskPressure: return "DiskPressure";
    case NodeConditionType::kPidPressure: return "PIDPressure";
    case NodeConditionType::kSystemDiskContentionPressure: return "SystemDiskContentionPressure";
  }
  __builtin_unreachable();
}

NodeConditionType ConditionOf(Signal signal) {
  switch (ResourceOf(signal)) {
    case Resource::kMemory:
    case Resource::kSwap: return NodeConditionType::kMemoryPressure;
    case Resource::kEphemeralStorage:
    case Resource::kInodes: return NodeConditionType::kDiskPressure;
    case Resource::kPids: return NodeConditionType::kPidPressure;
    case Resource::kIo: return NodeConditionType::kSystemDiskContentionPressure;
  }
  __builtin_unreachable();
}

}  // namespace jettison
