#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/text/enum_names.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

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

// What a starved node lacks.
enum class Resource : std::uint8_t { kMemory, kSwap, kEphemeralStorage, kInodes, kPids, kIo };

// A pressure condition of the node. The last one has no counterpart in the kubelet's eviction; its
// name is that of KEP-5394 (PSI based node conditions) for stalls on I/O of the whole system.
enum class NodeConditionType : std::uint8_t {
  kMemoryPressure,
  kDiskPressure,
  kPidPressure,
  kSystemDiskContentionPressure,
};

enum class StallKind : std::uint8_t {
  kSome,  // at least one task waited
  kFull,  // every task that was not idle waited
};

// Which average of the kernel a pressure signal tells of.
struct StallAverage {
  StallKind kind = StallKind::kSome;
  Duration window{0};  // 10 s or 60 s
};

// The file systems of a node, by what lies on them: everything else, images, writable layers.
enum class FileSystem : std::uint8_t { kNode, kImage, kContainer };

// One signal: everything that is the same of it in every place. How it is observed follows from its
// resource and from the last three (core/observe).
struct SignalRow {
  Signal signal;
  std::string_view name;  // in configurations and in messages
  Resource resource;
  bool of_kubelet = true;             // evictionHard and evictionSoft may name it
  std::optional<StallAverage> stall;  // of pressure signals, whose resource is memory or I/O
  std::optional<FileSystem> disk;     // of signals of a disk
  bool of_pods = false;               // it is of the group of all pods, not of the node
  std::string_view default_hard;      // its value in the kubelet's default for evictionHard, if any
};
inline constexpr StallAverage kFullAvg10 = {StallKind::kFull, std::chrono::seconds(10)};
inline constexpr StallAverage kFullAvg60 = {StallKind::kFull, std::chrono::seconds(60)};
inline constexpr StallAverage kSomeAvg10 = {StallKind::kSome, std::chrono::seconds(10)};
inline constexpr StallAverage kSomeAvg60 = {StallKind::kSome, std::chrono::seconds(60)};

[[nodiscard]] consteval SignalRow OnDisk(Signal signal, std::string_view name, Resource resource,
                                         FileSystem disk, std::string_view default_hard = {}) {
  return {.signal = signal,
          .name = name,
          .resource = resource,
          .disk = disk,
          .default_hard = default_hard};
}

// In the order of declaration.
inline constexpr auto kSignalRows = std::to_array<SignalRow>({
    {.signal = Signal::kMemoryAvailable,
     .name = "memory.available",
     .resource = Resource::kMemory,
     .default_hard = "100Mi"},
    {.signal = Signal::kAllocatableMemoryAvailable,
     .name = "allocatableMemory.available",
     .resource = Resource::kMemory,
     .of_pods = true},
    {Signal::kMemoryPressureFullAvg10, "memory.pressure.full.avg10", Resource::kMemory, false,
     kFullAvg10},
    {Signal::kMemoryPressureFullAvg60, "memory.pressure.full.avg60", Resource::kMemory, false,
     kFullAvg60},
    {Signal::kMemoryPressureSomeAvg10, "memory.pressure.some.avg10", Resource::kMemory, false,
     kSomeAvg10},
    {Signal::kMemoryPressureSomeAvg60, "memory.pressure.some.avg60", Resource::kMemory, false,
     kSomeAvg60},
    {Signal::kSwapAvailable, "swap.available", Resource::kSwap, false},
    OnDisk(Signal::kNodeFsAvailable, "nodefs.available", Resource::kEphemeralStorage,
           FileSystem::kNode, "10%"),
    OnDisk(Signal::kNodeFsInodesFree, "nodefs.inodesFree", Resource::kInodes, FileSystem::kNode,
           "5%"),
    OnDisk(Signal::kImageFsAvailable, "imagefs.available", Resource::kEphemeralStorage,
           FileSystem::kImage, "15%"),
    OnDisk(Signal::kImageFsInodesFree, "imagefs.inodesFree", Resource::kInodes, FileSystem::kImage,
           "5%"),
    OnDisk(Signal::kContainerFsAvailable, "containerfs.available", Resource::kEphemeralStorage,
           FileSystem::kContainer),
    OnDisk(Signal::kContainerFsInodesFree, "containerfs.inodesFree", Resource::kInodes,
           FileSystem::kContainer),
    {Signal::kPidAvailable, "pid.available", Resource::kPids},
    {Signal::kIoPressureFullAvg10, "io.pressure.full.avg10", Resource::kIo, false, kFullAvg10},
    {Signal::kIoPressureFullAvg60, "io.pressure.full.avg60", Resource::kIo, false, kFullAvg60},
    {Signal::kIoPressureSomeAvg10, "io.pressure.some.avg10", Resource::kIo, false, kSomeAvg10},
    {Signal::kIoPressureSomeAvg60, "io.pressure.some.avg60", Resource::kIo, false, kSomeAvg60},
});
inline constexpr std::size_t kSignalCount = kSignalRows.size();

// How pods are ranked when a resource is short (core/decide/ranking.h).
enum class RankedBy : std::uint8_t { kMemory, kSwap, kFiles, kCount, kStalls };

// One resource, and what its signals have in common.
struct ResourceRow {
  Resource resource;
  std::string_view name;  // in messages and annotations
  NodeConditionType condition;
  std::string_view unit;  // of its amounts, for programs; pressure signals have "share"
  QuantityFormat format;  // in which messages print them
  RankedBy ranked_by;
  bool foreseen = false;   // it can be predicted when it runs out, and what pods hold of it adds up
  bool requested = false;  // pods can request it
  std::string_view all = "capacity";  // for people: what there is of it, what of that is taken,
  std::string_view taken = "used";    // and by which figure of theirs pods are ranked
  std::string_view usage = "usage minus request";
  // How far our threshold lies above the kubelet's (core/thresholds/kubelet_order.h).
  std::int64_t margin = 0;
  double margin_points = 0;
};
// In the order of declaration.
inline constexpr auto kResourceRows = std::to_array<ResourceRow>({
    {.resource = Resource::kMemory,
     .name = "memory",
     .condition = NodeConditionType::kMemoryPressure,
     .unit = "bytes",
     .format = QuantityFormat::kBinarySI,
     .ranked_by = RankedBy::kMemory,
     .foreseen = true,
     .requested = true,
     .margin = std::int64_t{256} << 20,
     .margin_points = 2},
    {.resource = Resource::kSwap,
     .name = "swap",
     .condition = NodeConditionType::kMemoryPressure,
     .unit = "bytes",
     .format = QuantityFormat::kBinarySI,
     .ranked_by = RankedBy::kSwap,
     .foreseen = true,
     .usage = "swap used"},
    {.resource = Resource::kEphemeralStorage,
     .name = "ephemeral-storage",
     .condition = NodeConditionType::kDiskPressure,
     .unit = "bytes",
     .format = QuantityFormat::kBinarySI,
     .ranked_by = RankedBy::kFiles,
     .requested = true,
     .margin = std::int64_t{1} << 30,
     .margin_points = 2},
    {.resource = Resource::kInodes,
     .name = "inodes",
     .condition = NodeConditionType::kDiskPressure,
     .unit = "inodes",
     .format = QuantityFormat::kDecimalSI,
     .ranked_by = RankedBy::kFiles,
     .all = "inodes",
     .margin = 100'000,
     .margin_points = 1},
    {.resource = Resource::kPids,
     .name = "pids",
     .condition = NodeConditionType::kPidPressure,
     .unit = "pids",
     .format = QuantityFormat::kDecimalSI,
     .ranked_by = RankedBy::kCount,
     .foreseen = true,
     .all = "process ids",
     .taken = "tasks",
     .usage = "process count",
     .margin = 500,
     .margin_points = 1},
    {.resource = Resource::kIo,
     .name = "io",
     .condition = NodeConditionType::kSystemDiskContentionPressure,
     .unit = "share",
     .format = QuantityFormat::kDecimalSI,
     .ranked_by = RankedBy::kStalls,
     .usage = "time stalled"},
});

// What is said of a condition while it holds, and while it does not.
struct ConditionWords {
  std::string_view reason;   // of the node's status
  std::string_view message;  // the same
  std::string_view event;    // the reason of the event when it changes
};
// One condition.
struct NodeConditionRow {
  NodeConditionType type;
  std::string_view name;   // of the node's status
  std::string_view taint;  // whose effect is NoSchedule
  ConditionWords holds;
  ConditionWords is_over;
};
// In the order of declaration, in which the kubelet sets them (pkg/kubelet/nodestatus/setters.go).
// The last taint is that of KEP-5394; the kubelet has no words for that condition.
inline constexpr auto kConditionRows = std::to_array<NodeConditionRow>({
    {NodeConditionType::kMemoryPressure,
     "MemoryPressure",
     "node.kubernetes.io/memory-pressure",
     {"KubeletHasInsufficientMemory", "kubelet has insufficient memory available",
      "NodeHasInsufficientMemory"},
     {"KubeletHasSufficientMemory", "kubelet has sufficient memory available",
      "NodeHasSufficientMemory"}},
    {NodeConditionType::kDiskPressure,
     "DiskPressure",
     "node.kubernetes.io/disk-pressure",
     {"KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure"},
     {"KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"}},
    {NodeConditionType::kPidPressure,
     "PIDPressure",
     "node.kubernetes.io/pid-pressure",
     {"KubeletHasInsufficientPID", "kubelet has insufficient PID available",
      "NodeHasInsufficientPID"},
     {"KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID"}},
    {NodeConditionType::kSystemDiskContentionPressure,
     "SystemDiskContentionPressure",
     "node.kubernetes.io/disk-contention-pressure",
     {"KubeletHasDiskContention", "kubelet has tasks stalled on I/O", "NodeHasDiskContention"},
     {"KubeletHasNoDiskContention", "kubelet has no disk contention", "NodeHasNoDiskContention"}},
});
inline constexpr std::size_t kNodeConditionCount = kConditionRows.size();
inline constexpr std::array<NodeConditionType, kNodeConditionCount> kAllNodeConditions = {
    NodeConditionType::kDiskPressure, NodeConditionType::kMemoryPressure,
    NodeConditionType::kPidPressure,
    NodeConditionType::kSystemDiskContentionPressure};  // by name, as messages list them

[[nodiscard]] constexpr std::size_t IndexOf(Signal signal) {
  return static_cast<std::size_t>(signal);
}
[[nodiscard]] constexpr std::size_t IndexOf(NodeConditionType type) {
  return static_cast<std::size_t>(type);
}
[[nodiscard]] constexpr const SignalRow& RowOf(Signal signal) {
  return kSignalRows[IndexOf(signal)];
}
[[nodiscard]] constexpr const ResourceRow& RowOf(Resource resource) {
  return kResourceRows[static_cast<std::size_t>(resource)];
}

// The signals whose rows match, in their order.
template <auto kMatches>
[[nodiscard]] consteval auto SignalsWhere() {
  std::array<Signal, std::ranges::count_if(kSignalRows, kMatches)> found{};
  std::size_t count = 0;
  for (const SignalRow& row : kSignalRows) {
    if (kMatches(row)) found[count++] = row.signal;
  }
  return found;
}
inline constexpr auto kAllSignals = SignalsWhere<[](const SignalRow&) { return true; }>();
inline constexpr auto kKubeletSignals =
    SignalsWhere<[](const SignalRow& row) { return row.of_kubelet; }>();
inline constexpr auto kPressureSignals =
    SignalsWhere<[](const SignalRow& row) { return row.stall.has_value(); }>();
inline constexpr auto kSwapSignals =
    SignalsWhere<[](const SignalRow& row) { return row.resource == Resource::kSwap; }>();

static_assert(std::ranges::all_of(kAllSignals,
                                  [](Signal signal) { return RowOf(signal).signal == signal; }) &&
                  IndexOf(Signal::kIoPressureSomeAvg60) + 1 == kSignalCount,
              "kSignalRows must list every Signal as it is declared");
static_assert(std::ranges::all_of(kResourceRows,
                                  [](const ResourceRow& row) {
                                    return RowOf(row.resource).name == row.name;
                                  }) &&
                  static_cast<std::size_t>(Resource::kIo) + 1 == kResourceRows.size(),
              "kResourceRows must list every Resource as it is declared");
static_assert(std::ranges::all_of(kAllNodeConditions,
                                  [](NodeConditionType type) {
                                    return kConditionRows[IndexOf(type)].type == type;
                                  }),
              "kConditionRows must list every NodeConditionType as it is declared");

// The names that the rows have.
template <typename Row, std::size_t kCount>
[[nodiscard]] consteval auto NamesIn(const std::array<Row, kCount>& rows) {
  std::array<std::string_view, kCount> names;
  std::ranges::transform(rows, names.begin(), &Row::name);
  return names;
}
template <>
inline constexpr auto kNamesOf<Signal> = NamesIn(kSignalRows);
template <>
inline constexpr auto kNamesOf<Resource> = NamesIn(kResourceRows);
template <>
inline constexpr auto kNamesOf<NodeConditionType> = NamesIn(kConditionRows);
[[nodiscard]] constexpr Resource ResourceOf(Signal signal) {
  return RowOf(signal).resource;
}
[[nodiscard]] constexpr const NodeConditionRow& RowOf(NodeConditionType type) {
  return kConditionRows[IndexOf(type)];
}
[[nodiscard]] constexpr std::string_view TaintOf(NodeConditionType type) {
  return RowOf(type).taint;
}
[[nodiscard]] constexpr NodeConditionType ConditionOf(Signal signal) {
  return RowOf(ResourceOf(signal)).condition;
}
[[nodiscard]] constexpr bool IsPressure(Signal signal) {
  return RowOf(signal).stall.has_value();
}
// "bytes", "inodes", "pids", "share" (hundredths of a percent of the time).
[[nodiscard]] constexpr std::string_view UnitNameOf(Signal signal) {
  return IsPressure(signal) ? "share" : RowOf(ResourceOf(signal)).unit;
}
// The form in which messages print amounts of the signal: inodes and process ids are counts, the
// rest are bytes. Shares of time are told by ShareText.
[[nodiscard]] constexpr QuantityFormat FormatOf(Signal signal) {
  return RowOf(ResourceOf(signal)).format;
}

[[nodiscard]] constexpr bool IsOfDisk(Signal signal) {
  return RowOf(signal).disk.has_value();
}
// The signal that tells of the same resource on another file system. `signal` is of a disk.
[[nodiscard]] constexpr Signal OnFileSystem(FileSystem disk, Signal signal) {
  return std::ranges::find_if(kSignalRows,
                              [&](const SignalRow& row) {
                                return row.disk == disk && row.resource == ResourceOf(signal);
                              })
      ->signal;
}
// Whether it can be predicted when the resource of the signal runs out: true for memory, swap and
// process IDs, false for disks and pressure averages.
[[nodiscard]] constexpr bool IsForeseen(Signal signal) {
  return RowOf(ResourceOf(signal)).foreseen && !IsPressure(signal);
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
