#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace jettison {

// What an eviction threshold watches. The order is the documented tie-break between thresholds of
// the same urgency: memory first, then swap, the file systems, process ids, I/O. The pressure
// signals (core/model/pressure.h) and swap.available are Jettison's own, the others the kubelet's.
enum class Signal : std::uint8_t {
  kMemoryAvailable,
  kAllocatableMemoryAvailable,
  kMemoryPressureFullAvg10,
  kMemoryPressureFullAvg60,
  kMemoryPressureSomeAvg10,
  kMemoryPressureSomeAvg60,
  kSwapAvailable,
  kNodeFsAvailable,
  kNodeFsInodesFree,
  kImageFsAvailable,
  kImageFsInodesFree,
  kContainerFsAvailable,
  kContainerFsInodesFree,
  kPidAvailable,
  kIoPressureFullAvg10,
  kIoPressureFullAvg60,
  kIoPressureSomeAvg10,
  kIoPressureSomeAvg60,
};
// In the order of declaration; signal.cc does not compile while one is missing.
inline constexpr std::array kAllSignals = {
    Signal::kMemoryAvailable,         Signal::kAllocatableMemoryAvailable,
    Signal::kMemoryPressureFullAvg10, Signal::kMemoryPressureFullAvg60,
    Signal::kMemoryPressureSomeAvg10, Signal::kMemoryPressureSomeAvg60,
    Signal::kSwapAvailable,           Signal::kNodeFsAvailable,
    Signal::kNodeFsInodesFree,        Signal::kImageFsAvailable,
    Signal::kImageFsInodesFree,       Signal::kContainerFsAvailable,
    Signal::kContainerFsInodesFree,   Signal::kPidAvailable,
    Signal::kIoPressureFullAvg10,     Signal::kIoPressureFullAvg60,
    Signal::kIoPressureSomeAvg10,     Signal::kIoPressureSomeAvg60,
};
inline constexpr std::size_t kSignalCount = kAllSignals.size();
// Those that evictionHard and evictionSoft may name.
inline constexpr std::array kKubeletSignals = {
    Signal::kMemoryAvailable,      Signal::kAllocatableMemoryAvailable, Signal::kNodeFsAvailable,
    Signal::kNodeFsInodesFree,     Signal::kImageFsAvailable,           Signal::kImageFsInodesFree,
    Signal::kContainerFsAvailable, Signal::kContainerFsInodesFree,      Signal::kPidAvailable,
};

[[nodiscard]] constexpr std::size_t IndexOf(Signal signal) {
  return static_cast<std::size_t>(signal);
}

// The name in configurations and in messages: "memory.available", "io.pressure.some.avg10".
[[nodiscard]] std::string_view NameOf(Signal signal);
[[nodiscard]] std::optional<Signal> SignalNamed(std::string_view name);

// What a starved node lacks.
enum class Resource : std::uint8_t { kMemory, kSwap, kEphemeralStorage, kInodes, kPids, kIo };
// In the order of declaration; signal.cc does not compile while one is missing.
inline constexpr std::array kAllResources = {
    Resource::kMemory, Resource::kSwap, Resource::kEphemeralStorage,
    Resource::kInodes, Resource::kPids, Resource::kIo,
};
// The name in messages and annotations: "memory", "swap", "ephemeral-storage", "inodes", "pids",
// "io".
[[nodiscard]] std::string_view NameOf(Resource resource);
[[nodiscard]] Resource ResourceOf(Signal signal);

// A pressure condition of the node. The last one has no counterpart in the kubelet's eviction; its
// name is that of KEP-5394 (PSI based node conditions) for stalls on I/O of the whole system.
enum class NodeConditionType : std::uint8_t {
  kMemoryPressure,
  kDiskPressure,
  kPidPressure,
  kSystemDiskContentionPressure,
};
inline constexpr std::size_t kNodeConditionCount = 4;
inline constexpr std::array<NodeConditionType, kNodeConditionCount> kAllNodeConditions = {
    NodeConditionType::kDiskPressure, NodeConditionType::kMemoryPressure,
    NodeConditionType::kPidPressure,
    NodeConditionType::kSystemDiskContentionPressure};  // by name, as messages list them
// "MemoryPressure", "DiskPressure", "PIDPressure", "SystemDiskContentionPressure".
[[nodiscard]] std::string_view NameOf(NodeConditionType type);
[[nodiscard]] NodeConditionType ConditionOf(Signal signal);
[[nodiscard]] constexpr std::size_t IndexOf(NodeConditionType type) {
  return static_cast<std::size_t>(type);
}

// A set of pressure conditions, a bit each.
class NodeConditions {
 public:
  constexpr NodeConditions() = default;
  constexpr void Set(NodeConditionType type) { bits_ |= Bit(type); }
  [[nodiscard]] constexpr bool Has(NodeConditionType type) const {
    return (bits_ & Bit(type)) != 0;
  }
  [[nodiscard]] constexpr bool Empty() const { return bits_ == 0; }
  friend constexpr bool operator==(NodeConditions, NodeConditions) = default;

 private:
  static constexpr std::uint8_t Bit(NodeConditionType type) {
    return static_cast<std::uint8_t>(1U << IndexOf(type));
  }
  std::uint8_t bits_ = 0;
};

}  // namespace jettison
