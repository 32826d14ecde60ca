#include "codec/kubernetes/summary_reader.h"

#include <string>
#include <string_view>
#include <utility>

#include "codec/kubernetes/json_walk.h"
#include "codec/kubernetes/summary_fields.h"

namespace jettison {
namespace {

using Element = JsonWalk::Element;

bool ReadMemory(JsonWalk& walk, Element element, std::optional<MemoryStats>& memory,
                std::optional<PressureStats>& pressure) {
  if (element.is_null()) return true;
  MemoryStats& into = memory.emplace();
  const bool ok = walk.Fields(element, [&](std::string_view key, Element value) {
    return key == "psi" ? walk.Form(value, pressure) : walk.FieldOf(key, value, into);
  });
  if (pressure) pressure->time = into.time;
  return ok;
}

bool ReadIo(JsonWalk& walk, Element element, std::optional<PressureStats>& pressure) {
  if (element.is_null()) return true;
  std::optional<Instant> time;
  const bool ok = walk.Fields(element, [&](std::string_view key, Element value) {
    if (key == "time") return walk.Time(value, time);
    return key != "psi" || walk.Form(value, pressure);
  });
  if (pressure) pressure->time = time;
  return ok;
}

// The kubelet looks for the first of the name "pods".
bool ReadSystemContainers(JsonWalk& walk, Element element,
                          std::optional<MemoryStats>& pods_memory) {
  bool found = false;
  return walk.Items(element, [&](Element item) {
    std::string name;
    std::optional<MemoryStats> memory;
    std::optional<PressureStats> unused;
    const bool ok = walk.Fields(item, [&](std::string_view key, Element value) {
      if (key == "name") return walk.Text(value, name);
      return key != "memory" || ReadMemory(walk, value, memory, unused);
    });
    if (name == "pods" && !std::exchange(found, true)) pods_memory = memory;
    return ok;
  });
}

bool ReadNode(JsonWalk& walk, Element element, NodeStats& node) {
  return walk.Fields(element, [&](std::string_view key, Element value) {
    if (key == "nodeName") return walk.Text(value, node.node_name);
    if (key == "systemContainers") return ReadSystemContainers(walk, value, node.pods_memory);
    if (key == "memory") return ReadMemory(walk, value, node.memory, node.memory_pressure);
    if (key == "swap") return walk.Form(value, node.swap);
    if (key == "io") return ReadIo(walk, value, node.io_pressure);
    if (key == "fs") return walk.Form(value, node.fs);
    if (key == "rlimit") return walk.Form(value, node.rlimit);
    if (key != "runtime" || value.is_null()) return true;
    return walk.Fields(value, [&](std::string_view name, Element fs) {
      if (name == "imageFs") return walk.Form(fs, node.image_fs);
      return name != "containerFs" || walk.Form(fs, node.container_fs);
    });
  });
}

// One number of a map that may be null.
bool ReadCount(JsonWalk& walk, Element element, std::string_view name,
               std::optional<std::uint64_t>& count) {
  return element.is_null() || walk.Fields(element, [&](std::string_view key, Element value) {
    return key != name || walk.Count(value, count);
  });
}

bool ReadContainer(JsonWalk& walk, Element element, ContainerStats& container) {
  return walk.Fields(element, [&](std::string_view key, Element value) {
    if (key == "name") return walk.Text(value, container.name);
    if (key == "memory") {
      return ReadCount(walk, value, "workingSetBytes", container.memory_working_set_bytes);
    }
    if (key == "rootfs") return walk.Form(value, container.rootfs);
    return key != "logs" || walk.Form(value, container.logs);
  });
}

bool ReadVolume(JsonWalk& walk, Element element, VolumeStats& volume) {
  return walk.Fields(element, [&](std::string_view key, Element value) {
    return key == "name" ? walk.Text(value, volume.name) : walk.FieldOf(key, value, volume.usage);
  });
}

bool ReadPod(JsonWalk& walk, Element element, PodStats& pod) {
  std::optional<PressureStats> io;
  const bool ok = walk.Fields(element, [&](std::string_view key, Element value) {
    if (key == "podRef") {
      return walk.Fields(value, [&](std::string_view name, Element text) {
        if (name == "name") return walk.Text(text, pod.name);
        if (name == "namespace") return walk.Text(text, pod.namespace_);
        return name != "uid" || walk.Text(text, pod.uid);
      });
    }
    if (key == "memory") {
      pod.has_memory = !value.is_null();
      return ReadCount(walk, value, "workingSetBytes", pod.memory_working_set_bytes);
    }
    if (key == "swap") return ReadCount(walk, value, "swapUsageBytes", pod.swap_bytes);
    if (key == "io") return ReadIo(walk, value, io);
    if (key == "ephemeral-storage") return walk.Form(value, pod.ephemeral_storage);
    if (key == "staleDisk") return walk.Form(value, pod.stale_disk);
    if (key == "process_stats") return ReadCount(walk, value, "process_count", pod.process_count);
    if (key == "containers") {
      return walk.Items(value, pod.containers, [&](Element item, ContainerStats& into) {
        return ReadContainer(walk, item, into);
      });
    }
    return key != "volume" || walk.Items(value, pod.volumes, [&](Element item, VolumeStats& into) {
      return ReadVolume(walk, item, into);
    });
  });
  if (io) pod.io_some_avg10 = io->some.avg10;
  return ok;
}

}  // namespace

Result<void> ReadSummary(simdjson::dom::element document, Summary& into) {
  into = {};
  JsonWalk walk;
  const bool ok = walk.Fields(document, [&](std::string_view key, Element value) {
    if (key == "node") return ReadNode(walk, value, into.node);
    return key != "pods" || walk.Items(value, into.pods, [&](Element item, PodStats& pod) {
      return ReadPod(walk, item, pod);
    });
  });
  if (!ok) return Fail(walk.TakeError("summary"));
  return {};
}

}  // namespace jettison
