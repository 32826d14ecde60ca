#include "codec/kubernetes/summary_reader.h"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>

#include "codec/kubernetes/json_walk.h"
#include "codec/kubernetes/summary_fields.h"

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

template <typename Element>
class SummaryWalk : private JsonWalk<Element> {
 public:
  using JsonWalk<Element>::fault;
  bool Root(Element& element, Summary& summary);

 private:
  using Walk = JsonWalk<Element>;
  using Walk::Count, Walk::FieldOf, Walk::Fields, Walk::Form, Walk::Items, Walk::Text, Walk::Time;

  bool Node(Element& element, NodeStats& node);
  bool SystemContainers(Element& element, std::optional<MemoryStats>& pods_memory);
  bool Runtime(Element& element, NodeStats& node);
  bool Memory(Element& element, std::optional<MemoryStats>& memory,
              std::optional<PressureStats>& pressure);
  bool PodSwap(Element& element, PodStats& pod);
  bool Io(Element& element, std::optional<PressureStats>& pressure);
  bool Pod(Element& element, PodStats& pod);
  bool PodRef(Element& element, PodStats& pod);
  bool PodMemory(Element& element, PodStats& pod);
  bool PodIo(Element& element, PodStats& pod);
  bool ProcessStats(Element& element, std::optional<std::uint64_t>& count);
  bool Container(Element& element, ContainerStats& container);
  bool WorkingSet(Element& element, std::optional<std::uint64_t>& bytes);
  bool Volume(Element& element, VolumeStats& volume);
};

template <typename Element>
bool SummaryWalk<Element>::Memory(Element& element, std::optional<MemoryStats>& memory,
                                  std::optional<PressureStats>& pressure) {
  if (element.IsNull()) return true;
  MemoryStats& into = memory.emplace();
  const bool ok = Fields(element, [&](std::string_view key, Element& value) {
    return IsNamed(key, "psi") ? Form(value, pressure) : FieldOf(key, value, into);
  });
  if (pressure) pressure->time = into.time;
  return ok;
}

template <typename Element>
bool SummaryWalk<Element>::Io(Element& element, std::optional<PressureStats>& pressure) {
  if (element.IsNull()) return true;
  std::optional<Instant> time;
  const bool ok = Fields(element, [&](std::string_view key, Element& value) {
    if (IsNamed(key, "time")) return Time(value, time);
    if (IsNamed(key, "psi")) return Form(value, pressure);
    return true;
  });
  if (pressure) pressure->time = time;
  return ok;
}

// The kubelet looks for the first of that name.
template <typename Element>
bool SummaryWalk<Element>::SystemContainers(Element& element,
                                            std::optional<MemoryStats>& pods_memory) {
  bool found = false;
  std::string name;
  return Items(element, [&](Element& item) {
    std::optional<MemoryStats> memory;
    std::optional<PressureStats> unused;
    name.clear();
    const bool ok = Fields(item, [&](std::string_view key, Element& value) {
      if (IsNamed(key, "name")) return Text(value, name);
      if (IsNamed(key, "memory")) return Memory(value, memory, unused);
      return true;
    });
    if (name == "pods" && !std::exchange(found, true)) pods_memory = memory;
    return ok;
  });
}

template <typename Element>
bool SummaryWalk<Element>::Runtime(Element& element, NodeStats& node) {
  if (element.IsNull()) return true;
  return Fields(element, [&](std::string_view key, Element& value) {
    if (IsNamed(key, "imageFs")) return Form(value, node.image_fs);
    if (IsNamed(key, "containerFs")) return Form(value, node.container_fs);
    return true;
  });
}

template <typename Element>
bool SummaryWalk<Element>::Node(Element& element, NodeStats& node) {
  return Fields(element, [&](std::string_view key, Element& value) {
    if (IsNamed(key, "nodeName")) return Text(value, node.node_name);
    if (IsNamed(key, "systemContainers")) return SystemContainers(value, node.pods_memory);
    if (IsNamed(key, "memory")) return Memory(value, node.memory, node.memory_pressure);
    if (IsNamed(key, "swap")) return Form(value, node.swap);
    if (IsNamed(key, "io")) return Io(value, node.io_pressure);
    if (IsNamed(key, "fs")) return Form(value, node.fs);
    if (IsNamed(key, "runtime")) return Runtime(value, node);
    if (IsNamed(key, "rlimit")) return Form(value, node.rlimit);
    return true;
  });
}

template <typename Element>
bool SummaryWalk<Element>::WorkingSet(Element& element, std::optional<std::uint64_t>& bytes) {
  return Fields(element, [&](std::string_view key, Element& value) {
    return !IsNamed(key, "workingSetBytes") || Count(value, bytes);
  });
}

template <typename Element>
bool SummaryWalk<Element>::Container(Element& element, ContainerStats& container) {
  container = {};
  return Fields(element, [&](std::string_view key, Element& value) {
    if (IsNamed(key, "name")) return Text(value, container.name);
    if (IsNamed(key, "memory")) {
      return value.IsNull() || WorkingSet(value, container.memory_working_set_bytes);
    }
    if (IsNamed(key, "rootfs")) return Form(value, container.rootfs);
    if (IsNamed(key, "logs")) return Form(value, container.logs);
    return true;
  });
}

template <typename Element>
bool SummaryWalk<Element>::Volume(Element& element, VolumeStats& volume) {
  volume = {};
  return Fields(element, [&](std::string_view key, Element& value) {
    if (IsNamed(key, "name")) return Text(value, volume.name);
    return FieldOf(key, value, volume.usage);
  });
}

template <typename Element>
bool SummaryWalk<Element>::PodRef(Element& element, PodStats& pod) {
  return Fields(element, [&](std::string_view key, Element& value) {
    if (IsNamed(key, "name")) return Text(value, pod.name);
    if (IsNamed(key, "namespace")) return Text(value, pod.namespace_);
    if (IsNamed(key, "uid")) return Text(value, pod.uid);
    return true;
  });
}

template <typename Element>
bool SummaryWalk<Element>::PodMemory(Element& element, PodStats& pod) {
  if (element.IsNull()) return true;
  pod.has_memory = true;
  return WorkingSet(element, pod.memory_working_set_bytes);
}

template <typename Element>
bool SummaryWalk<Element>::PodSwap(Element& element, PodStats& pod) {
  std::optional<SwapStats> swap;
  if (!Form(element, swap)) return false;
  if (swap) pod.swap_bytes = swap->usage_bytes;
  return true;
}

template <typename Element>
bool SummaryWalk<Element>::PodIo(Element& element, PodStats& pod) {
  std::optional<PressureStats> pressure;
  if (!Io(element, pressure)) return false;
  if (pressure) pod.io_some_avg10 = pressure->some.avg10;
  return true;
}

template <typename Element>
bool SummaryWalk<Element>::ProcessStats(Element& element, std::optional<std::uint64_t>& count) {
  if (element.IsNull()) return true;
  return Fields(element, [&](std::string_view key, Element& value) {
    return !IsNamed(key, "process_count") || Count(value, count);
  });
}

template <typename Element>
bool SummaryWalk<Element>::Pod(Element& element, PodStats& pod) {
  Reset(pod);
  return Fields(element, [&](std::string_view key, Element& value) {
    if (IsNamed(key, "podRef")) return PodRef(value, pod);
    if (IsNamed(key, "memory")) return PodMemory(value, pod);
    if (IsNamed(key, "swap")) return PodSwap(value, pod);
    if (IsNamed(key, "io")) return PodIo(value, pod);
    if (IsNamed(key, "ephemeral-storage")) return Form(value, pod.ephemeral_storage);
    if (IsNamed(key, "staleDisk")) return Form(value, pod.stale_disk);
    if (IsNamed(key, "process_stats")) return ProcessStats(value, pod.process_count);
    if (IsNamed(key, "containers")) {
      return Items(value, pod.containers,
                   [&](Element& item, ContainerStats& into) { return Container(item, into); });
    }
    if (IsNamed(key, "volume")) {
      return Items(value, pod.volumes,
                   [&](Element& item, VolumeStats& into) { return Volume(item, into); });
    }
    return true;
  });
}

template <typename Element>
bool SummaryWalk<Element>::Root(Element& element, Summary& summary) {
  bool has_pods = false;
  const bool ok = Fields(element, [&](std::string_view key, Element& value) {
    if (IsNamed(key, "node")) return Node(value, summary.node);
    if (IsNamed(key, "pods")) {
      has_pods = true;
      return Items(value, summary.pods,
                   [&](Element& item, PodStats& into) { return Pod(item, into); });
    }
    return true;
  });
  if (!has_pods) summary.pods.clear();
  return ok;
}

}  // namespace

Result<void> ReadSummary(simdjson::dom::element document, Summary& into) {
  into.node = {};
  SummaryWalk<ParsedElement> walk;
  ParsedElement root(document);
  if (!walk.Root(root, into)) return Fail(walk.fault().TakeError("summary"));
  return {};
}

bool ReadStreamedSummary(simdjson::ondemand::value value, std::string_view document,
                         Summary& into) {
  const char* const begin = value.raw_json_token().data();
  EscapeSearch escapes(
      {begin, static_cast<std::size_t>(document.data() + document.size() - begin)});
  StreamedElement root(value, escapes);
  into.node = {};
  return SummaryWalk<StreamedElement>().Root(root, into);
}

}  // namespace jettison
