#include "codec/kubernetes/summary_reader.h"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>

#include "codec/kubernetes/json_walk.h"
#include "codec/kubernetes/summary_fields.h"

namespace jettison {
namespace {

class SummaryWalk : private JsonWalk {
 public:
  using JsonWalk::TakeError;
  bool Root(Element element, Summary& summary);

 private:
  bool Node(Element element, NodeStats& node);
  bool SystemContainers(Element element, std::optional<MemoryStats>& pods_memory);
  bool Runtime(Element element, NodeStats& node);
  bool Memory(Element element, std::optional<MemoryStats>& memory,
              std::optional<PressureStats>& pressure);
  bool PodSwap(Element element, PodStats& pod);
  bool Io(Element element, std::optional<PressureStats>& pressure);
  bool Pod(Element element, PodStats& pod);
  bool PodRef(Element element, PodStats& pod);
  bool PodMemory(Element element, PodStats& pod);
  bool PodIo(Element element, PodStats& pod);
  bool ProcessStats(Element element, std::optional<std::uint64_t>& count);
  bool Container(Element element, ContainerStats& container);
  bool WorkingSet(Element element, std::optional<std::uint64_t>& bytes);
  bool Volume(Element element, VolumeStats& volume);
};

bool SummaryWalk::Memory(Element element, std::optional<MemoryStats>& memory,
                         std::optional<PressureStats>& pressure) {
  if (element.is_null()) return true;
  MemoryStats& into = memory.emplace();
  const bool ok = Fields(element, [&](std::string_view key, Element value) {
    return key == "psi" ? Form(value, pressure) : FieldOf(key, value, into);
  });
  if (pressure) pressure->time = into.time;
  return ok;
}

bool SummaryWalk::Io(Element element, std::optional<PressureStats>& pressure) {
  if (element.is_null()) return true;
  std::optional<Instant> time;
  const bool ok = Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return Time(value, time);
    if (key == "psi") return Form(value, pressure);
    return true;
  });
  if (pressure) pressure->time = time;
  return ok;
}

// The kubelet looks for the first of that name.
bool SummaryWalk::SystemContainers(Element element, std::optional<MemoryStats>& pods_memory) {
  bool found = false;
  std::string name;
  return Items(element, [&](Element item) {
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
    if (key == "imageFs") return Form(value, node.image_fs);
    if (key == "containerFs") return Form(value, node.container_fs);
    return true;
  });
}

bool SummaryWalk::Node(Element element, NodeStats& node) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "nodeName") return Text(value, node.node_name);
    if (key == "systemContainers") return SystemContainers(value, node.pods_memory);
    if (key == "memory") return Memory(value, node.memory, node.memory_pressure);
    if (key == "swap") return Form(value, node.swap);
    if (key == "io") return Io(value, node.io_pressure);
    if (key == "fs") return Form(value, node.fs);
    if (key == "runtime") return Runtime(value, node);
    if (key == "rlimit") return Form(value, node.rlimit);
    return true;
  });
}

bool SummaryWalk::WorkingSet(Element element, std::optional<std::uint64_t>& bytes) {
  return Fields(element, [&](std::string_view key, Element value) {
    return key != "workingSetBytes" || Count(value, bytes);
  });
}

bool SummaryWalk::Container(Element element, ContainerStats& container) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return Text(value, container.name);
    if (key == "memory") {
      return value.is_null() || WorkingSet(value, container.memory_working_set_bytes);
    }
    if (key == "rootfs") return Form(value, container.rootfs);
    if (key == "logs") return Form(value, container.logs);
    return true;
  });
}

bool SummaryWalk::Volume(Element element, VolumeStats& volume) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return Text(value, volume.name);
    return FieldOf(key, value, volume.usage);
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
  if (!Form(element, swap)) return false;
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

bool SummaryWalk::Pod(Element element, PodStats& pod) {
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "podRef") return PodRef(value, pod);
    if (key == "memory") return PodMemory(value, pod);
    if (key == "swap") return PodSwap(value, pod);
    if (key == "io") return PodIo(value, pod);
    if (key == "ephemeral-storage") return Form(value, pod.ephemeral_storage);
    if (key == "staleDisk") return Form(value, pod.stale_disk);
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
  return Fields(element, [&](std::string_view key, Element value) {
    if (key == "node") return Node(value, summary.node);
    if (key == "pods") {
      return Items(value, summary.pods,
                   [&](Element item, PodStats& into) { return Pod(item, into); });
    }
    return true;
  });
}

}  // namespace

Result<void> ReadSummary(simdjson::dom::element document, Summary& into) {
  into = {};
  SummaryWalk walk;
  if (!walk.Root(document, into)) return Fail(walk.TakeError("summary"));
  return {};
}

}  // namespace jettison
