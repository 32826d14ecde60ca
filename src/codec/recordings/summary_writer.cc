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

void WriteUsage(const FsUsage& usage, const std::optional<Instant>& time, JsonWriter& json) {
  PutTime(time, json);
  WriteFields(usage, json);
}

void PutUsage(std::string_view name, const std::optional<FsUsage>& usage,
              const std::optional<Instant>& time, JsonWriter& json) {
  if (!usage) return;
  json.Object(name, [&] { WriteUsage(*usage, time, json); });
}

void WriteNode(const NodeStats& node, const SummaryTimes& times, JsonWriter& json) {
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

void WriteContainer(const ContainerStats& container, const std::optional<Instant>& started,
                    const std::optional<Instant>& measured, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", container.name);
    PutTime(started, json, "startTime");
    if (container.memory_working_set_bytes) {
      PutWorkingSet(container.memory_working_set_bytes, measured, json);
    }
    PutUsage("rootfs", container.rootfs, measured, json);
    PutUsage("logs", container.logs, measured, json);
  });
}

void WriteContainers(const PodStats& pod, const PodStartTimes* started,
                     const std::optional<Instant>& measured, JsonWriter& json) {
  json.Array("containers", [&] {
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
      const bool known = started != nullptr && i < started->containers.size();
      WriteContainer(pod.containers[i], known ? started->containers[i] : std::nullopt, measured,
                     json);
    }
  });
}

void PutVolumes(const PodStats& pod, const std::optional<Instant>& measured, JsonWriter& json) {
  if (pod.volumes.empty()) return;
  json.Objects("volume", pod.volumes, [&](const VolumeStats& volume) {
    WriteUsage(volume.usage, measured, json);
    json.Field("name", volume.name);
  });
}

void PutPodPressure(const std::optional<std::int32_t>& some_avg10, JsonWriter& json) {
  if (!some_avg10) return;
  json.Object("io", [&] {
    json.Object("psi", [&] { Put("some", StallShares{.avg10 = some_avg10, .avg60 = {}}, json); });
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
    PutPodPressure(pod.io_some_avg10, json);
    PutVolumes(pod, measured, json);
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
