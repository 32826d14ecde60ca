#include "codec/recordings/summary_writer.h"

#include "codec/kubernetes/summary_fields.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

void PutTime(const std::optional<Instant>& time, JsonWriter& json, std::string_view name = "time") {
  if (time) json.Field(name, FormatInstant(*time));
}

// "name": the form, if there is one.
template <typename Form>
void Put(std::string_view name, const Form& form, JsonWriter& json) {
  FieldWriter{json}(name, form);
}

void PutMemory(const std::optional<MemoryStats>& memory,
               const std::optional<PressureStats>& pressure, JsonWriter& json) {
  if (!memory && !pressure) return;
  json.Object("memory", [&] {
    if (memory) WriteFields(*memory, json);
    Put("psi", pressure, json);
  });
}

// Where `usage` was measured, its members with the time.
void PutUsage(std::string_view name, const std::optional<FsUsage>& usage,
              const std::optional<Instant>& time, JsonWriter& json) {
  if (!usage) return;
  json.Object(name, [&] {
    PutTime(time, json);
    WriteFields(*usage, json);
  });
}

void WriteNode(const NodeStats& node, const SummaryTimes& times, JsonWriter& json) {
  // A member that is new must be written below.
  [[maybe_unused]] const auto& [name, memory, pods_memory, swap, fs, image_fs, container_fs, rlimit,
                                memory_pressure, io_pressure] = node;
  json.Object([&] {
    json.Field("nodeName", node.node_name.empty() ? times.node_name : node.node_name);
    if (node.pods_memory) {
      json.Array("systemContainers", [&] {
        json.Object([&] {
          json.Field("name", "pods");
          PutTime(times.node_started, json, "startTime");
          PutMemory(node.pods_memory, std::nullopt, json);
        });
      });
    }
    PutTime(times.node_started, json, "startTime");
    PutMemory(node.memory, node.memory_pressure, json);
    if (node.io_pressure) {
      json.Object("io", [&] {
        PutTime(node.io_pressure->time, json);
        Put("psi", node.io_pressure, json);
      });
    }
    WriteFields(node, json);
    json.Object("runtime", [&] {
      Put("imageFs", node.image_fs, json);
      Put("containerFs", node.container_fs, json);
    });
  });
}

void PutWorkingSet(const std::optional<std::uint64_t>& bytes, const std::optional<Instant>& time,
                   JsonWriter& json) {
  json.Object("memory", [&] {
    PutTime(time, json);
    json.Field("workingSetBytes", bytes);
  });
}

void WriteContainers(const PodStats& pod, const PodStartTimes* started,
                     const std::optional<Instant>& measured, JsonWriter& json) {
  json.Objects("containers", pod.containers, [&](const ContainerStats& container) {
    const auto i = static_cast<std::size_t>(&container - pod.containers.data());
    json.Field("name", container.name);
    if (started != nullptr && i < started->containers.size()) {
      PutTime(started->containers[i], json, "startTime");
    }
    if (container.memory_working_set_bytes) {
      PutWorkingSet(container.memory_working_set_bytes, measured, json);
    }
    PutUsage("rootfs", container.rootfs, measured, json);
    PutUsage("logs", container.logs, measured, json);
  });
}

void WritePodStats(const PodStats& pod, const PodStartTimes* started,
                   const std::optional<Instant>& measured, JsonWriter& json) {
  json.Object([&] {
    json.Object("podRef", [&] {
      json.Field("name", pod.name);
      json.Field("namespace", pod.namespace_);
      json.Field("uid", pod.uid);
    });
    if (started != nullptr) PutTime(started->pod, json, "startTime");
    WriteContainers(pod, started, measured, json);
    if (pod.has_memory) PutWorkingSet(pod.memory_working_set_bytes, measured, json);
    if (pod.swap_bytes) {
      Put("swap", SwapStats{.time = measured, .available_bytes = {}, .usage_bytes = pod.swap_bytes},
          json);
    }
    if (pod.io_some_avg10) {
      const StallShares some{.avg10 = pod.io_some_avg10, .avg60 = {}};
      json.Object("io", [&] { json.Object("psi", [&] { Put("some", some, json); }); });
    }
    if (!pod.volumes.empty()) {
      json.Objects("volume", pod.volumes, [&](const VolumeStats& volume) {
        PutTime(measured, json);
        WriteFields(volume.usage, json);
        json.Field("name", volume.name);
      });
    }
    PutUsage("ephemeral-storage", pod.ephemeral_storage, measured, json);
    Put("staleDisk", pod.stale_disk, json);
    if (pod.process_count) {
      json.Object("process_stats", [&] { json.Field("process_count", *pod.process_count); });
    }
  });
}

}  // namespace

void WriteSummary(const Summary& summary, const SummaryTimes& times, JsonWriter& json) {
  json.Object([&] {
    json.Key("node");
    WriteNode(summary.node, times, json);
    json.Array("pods", [&] {
      for (std::size_t i = 0; i < summary.pods.size(); ++i) {
        const PodStartTimes* started = i < times.pods.size() ? &times.pods[i] : nullptr;
        WritePodStats(summary.pods[i], started, times.pods_measured, json);
      }
    });
  });
}

}  // namespace jettison
