#include "platform/kube_json/summary_reader.h"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>

#include "platform/kube_json/json_walk.h"

namespace jettison {
namespace {

// Empties an item for its next use without giving back its memory.
void Reset(PodStats& pod) {
  pod.uid.clear();
  pod.name.clear();
  pod.namespace_.clear();
  pod.containers.clear();
  pod.volumes.clear();
  pod.has_memory = false;
  pod.memory_working_set_bytes.reset();
  pod.swap_bytes.reset();
  pod.ephemeral_storage.reset();
  pod.stale_disk.reset();
  pod.process_count.reset();
  pod.io_some_avg10.reset();
}
class SummaryWalk : private JsonWalk {
 public:
  bool Root(Element element, Summary& summary);
  [[nodiscard]] Error TakeError() { return JsonWalk::TakeError("summary"); }

 private:
  bool Node(Element element, NodeStats& node);
  bool SystemContainers(Element element, std::optional<MemoryStats>& pods_memory);
  bool Runtime(Element element, NodeStats& node);
  bool Memory(Element element, std::optional<MemoryStats>& memory,
              std::optional<PressureStats>& pressure);
  bool Swap(Element element, std::optional<SwapStats>& swap);
  bool PodSwap(Element element, PodStats& pod);
  bool Io(Element element, std::optional<PressureStats>& pressure);
  bool Psi(Element element, std::optional<PressureStats>& pressure);
  bool StallLine(Element element, StallShares& shares);
  bool Fs(Element element, std::optional<FsStats>& fs);
  bool Rlimit(Element element, std::optional<RlimitStats>& rlimit);
  bool Pod(Element element, PodStats& pod);
  bool PodRef(Element element, PodStats& pod);
  bool PodMemory(Element element, PodStats& pod);
  bool PodIo(Element element, PodStats& pod);
  bool ProcessStats(Element element, std::optional<std::uint64_t>& count);
  bool PodStaleDisk(Element element, std::optional<StaleDisk>& stale);
  bool Container(Element element, ContainerStats& container);
  bool WorkingSet(Element element, std::optional<std::uint64_t>& bytes);
  bool Volume(Element element, VolumeStats& volume);
  bool Usage(Element element, std::optional<FsUsage>& usage);
  bool UsageField(std::string_view key, Element value, FsUsage& usage);
};

bool SummaryWalk::Memory(Element element, std::optional<MemoryStats>& memory,
                         std::optional<PressureStats>& pressure) {
  if (element.is_null()) return true;
  MemoryStats& into = memory.emplace();
  const bool ok = Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, into.time);
    if (key == "availableBytes") return Count(value, into.available_bytes);
    if (key == "usageBytes") return Count(value, into.usage_bytes);
    if (key == "workingSetBytes") return Count(value, into.working_set_bytes);
    if (key == "sharedBytes") return Count(value, into.shared_bytes);
    if (key == "kernelBytes") return Count(value, into.kernel_bytes);
    if (key == "psi") return Psi(value, pressure);
    return true;
  });
  if (pressure) pressure->time = into.time;
  return ok;
}

bool SummaryWalk::Swap(Element element, std::optional<SwapStats>& swap) {
  if (element.is_null()) return true;
  SwapStats& into = swap.emplace();
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, into.time);
    if (key == "swapAvailableBytes") return Count(value, into.available_bytes);
    if (key == "swapUsageBytes") return Count(value, into.usage_bytes);
    return true;
  });
}

bool SummaryWalk::Io(Element element, std::optional<PressureStats>& pressure) {
  if (element.is_null()) return true;
  std::optional<Instant> time;
  const bool ok = Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, time);
    if (key == "psi") return Psi(value, pressure);
    return true;
  });
  if (pressure) pressure->time = time;
  return ok;
}

bool SummaryWalk::Psi(Element element, std::optional<PressureStats>& pressure) {
  if (element.is_null()) return true;
  PressureStats& into = pressure.emplace();
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "some") return StallLine(value, into.some);
    if (key == "full") return StallLine(value, into.full);
    return true;
  });
}

bool SummaryWalk::StallLine(Element element, StallShares& shares) {
  if (element.is_null()) return true;
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "avg10") return Share(value, shares.avg10);
    if (key == "avg60") return Share(value, shares.avg60);
    return true;
  });
}

bool SummaryWalk::Fs(Element element, std::optional<FsStats>& fs) {
  if (element.is_null()) return true;
  FsStats& into = fs.emplace();
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, into.time);
    if (key == "availableBytes") return Count(value, into.available_bytes);
    if (key == "capacityBytes") return Count(value, into.capacity_bytes);
    if (key == "usedBytes") return Count(value, into.used_bytes);
    if (key == "inodesFree") return Count(value, into.inodes_free);
    if (key == "inodes") return Count(value, into.inodes);
    if (key == "inodesUsed") return Count(value, into.inodes_used);
    return true;
  });
}

bool SummaryWalk::Rlimit(Element element, std::optional<RlimitStats>& rlimit) {
  if (element.is_null()) return true;
  RlimitStats& into = rlimit.emplace();
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, into.time);
    if (key == "maxpid") return Count(value, into.max_pid);
    if (key == "curproc") return Count(value, into.running);
    return true;
  });
}

// The kubelet looks for the first of that name.
bool SummaryWalk::SystemContainers(Element element, std::optional<MemoryStats>& pods_memory) {
  bool found = false;
  std::vector<std::string> names;
  return Items(element, names, [&](Element item, std::string& name) {
    std::optional<MemoryStats> memory;
    std::optional<PressureStats> unused;
    name.clear();
    const bool ok = Fields(item, [&](std::string_view key, Element value) {
      if (key == "name") return Text(value, name);
      if (key == "memory") return Memory(value, memory, unused);
      return true;
    });
    if (name == "pods" && !std::exchange(found, true)) pods_memory = memory;
    return ok;
  });
}

bool SummaryWalk::Runtime(Element element, NodeStats& node) {
  if (element.is_null()) return true;
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "imageFs") return Fs(value, node.image_fs);
    if (key == "containerFs") return Fs(value, node.container_fs);
    return true;
  });
}

bool SummaryWalk::Node(Element element, NodeStats& node) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "nodeName") return Text(value, node.node_name);
    if (key == "systemContainers") return SystemContainers(value, node.pods_memory);
    if (key == "memory") return Memory(value, node.memory, node.memory_pressure);
    if (key == "swap") return Swap(value, node.swap);
    if (key == "io") return Io(value, node.io_pressure);
    if (key == "fs") return Fs(value, node.fs);
    if (key == "runtime") return Runtime(value, node);
    if (key == "rlimit") return Rlimit(value, node.rlimit);
    return true;
  });
}

bool SummaryWalk::UsageField(std::string_view key, Element value, FsUsage& usage) {
  if (key == "usedBytes") return Count(value, usage.used_bytes);
  if (key == "inodesUsed") return Count(value, usage.inodes_used);
  return true;
}

bool SummaryWalk::Usage(Element element, std::optional<FsUsage>& usage) {
  if (element.is_null()) return true;
  FsUsage& into = usage.emplace();
  return Fields(element,
                [&](std::string_view key, Element value) { return UsageField(key, value, into); });
}

bool SummaryWalk::WorkingSet(Element element, std::optional<std::uint64_t>& bytes) {
  return Fields(element, [&](std::string_view key, Element value) {
    return key != "workingSetBytes" || Count(value, bytes);
  });
}

bool SummaryWalk::Container(Element element, ContainerStats& container) {
  container = {};
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return Text(value, container.name);
    if (key == "memory") {
      return value.is_null() || WorkingSet(value, container.memory_working_set_bytes);
    }
    if (key == "rootfs") return Usage(value, container.rootfs);
    if (key == "logs") return Usage(value, container.logs);
    return true;
  });
}

bool SummaryWalk::Volume(Element element, VolumeStats& volume) {
  volume = {};
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return Text(value, volume.name);
    return UsageField(key, value, volume.usage);
  });
}

bool SummaryWalk::PodRef(Element element, PodStats& pod) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return Text(value, pod.name);
    if (key == "namespace") return Text(value, pod.namespace_);
    if (key == "uid") return Text(value, pod.uid);
    return true;
  });
}

bool SummaryWalk::PodMemory(Element element, PodStats& pod) {
  if (element.is_null()) return true;
  pod.has_memory = true;
  return WorkingSet(element, pod.memory_working_set_bytes);
}

bool SummaryWalk::PodSwap(Element element, PodStats& pod) {
  std::optional<SwapStats> swap;
  if (!Swap(element, swap)) return false;
  if (swap) pod.swap_bytes = swap->usage_bytes;
  return true;
}

bool SummaryWalk::PodIo(Element element, PodStats& pod) {
  std::optional<PressureStats> pressure;
  if (!Io(element, pressure)) return false;
  if (pressure) pod.io_some_avg10 = pressure->some.avg10;
  return true;
}

bool SummaryWalk::ProcessStats(Element element, std::optional<std::uint64_t>& count) {
  if (element.is_null()) return true;
  return Fields(element, [&](std::string_view key, Element value) {
    return key != "process_count" || Count(value, count);
  });
}

bool SummaryWalk::PodStaleDisk(Element element, std::optional<StaleDisk>& stale) {
  if (element.is_null()) return true;
  StaleDisk& into = stale.emplace();
  return Fields(element, [&](std::string_view key, Element value) {
    return key != "measuredAt" || Time(value, into.measured_at);
  });
}

bool SummaryWalk::Pod(Element element, PodStats& pod) {
  Reset(pod);
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "podRef") return PodRef(value, pod);
    if (key == "memory") return PodMemory(value, pod);
    if (key == "swap") return PodSwap(value, pod);
    if (key == "io") return PodIo(value, pod);
    if (key == "ephemeral-storage") return Usage(value, pod.ephemeral_storage);
    if (key == "staleDisk") return PodStaleDisk(value, pod.stale_disk);
    if (key == "process_stats") return ProcessStats(value, pod.process_count);
    if (key == "containers") {
      return Items(value, pod.containers,
                   [&](Element item, ContainerStats& into) { return Container(item, into); });
    }
    if (key == "volume") {
      return Items(value, pod.volumes,
                   [&](Element item, VolumeStats& into) { return Volume(item, into); });
    }
    return true;
  });
}

bool SummaryWalk::Root(Element element, Summary& summary) {
  bool has_pods = false;
  const bool ok = Fields(element, [&](std::string_view key, Element value) {
    if (key == "node") return Node(value, summary.node);
    if (key == "pods") {
      has_pods = true;
      return Items(value, summary.pods,
                   [&](Element item, PodStats& into) { return Pod(item, into); });
    }
    return true;
  });
  if (!has_pods) summary.pods.clear();
  return ok;
}

}  // namespace

Result<void> ReadSummary(simdjson::dom::element document, Summary& into) {
  into.node = {};
  SummaryWalk walk;
  if (!walk.Root(document, into)) return Fail(walk.TakeError());
  return {};
}

}  // namespace jettison
