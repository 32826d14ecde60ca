#include "recordings/summary_writer.h"

namespace jettison {
namespace {

void PutTime(const std::optional<Instant>& time, JsonWriter& json, std::string_view name = "time") {
  if (time) json.Field(name, FormatInstant(*time));
}

void WriteShares(std::string_view name, const StallShares& shares, JsonWriter& json) {
  json.Object(name, [&] {
    if (shares.avg10) json.Key("avg10"), json.Hundredths(*shares.avg10);
    if (shares.avg60) json.Key("avg60"), json.Hundredths(*shares.avg60);
  });
}

void PutPressure(const std::optional<PressureStats>& pressure, JsonWriter& json) {
  if (!pressure) return;
  json.Object("psi", [&] {
    WriteShares("full", pressure->full, json);
    WriteShares("some", pressure->some, json);
  });
}

void PutMemory(const std::optional<MemoryStats>& memory,
               const std::optional<PressureStats>& pressure, JsonWriter& json) {
  if (!memory && !pressure) return;
  json.Object("memory", [&] {
    if (memory) {
      PutTime(memory->time, json);
      json.Field("availableBytes", memory->available_bytes);
      json.Field("usageBytes", memory->usage_bytes);
      json.Field("workingSetBytes", memory->working_set_bytes);
      if (memory->shared_bytes) json.Field("sharedBytes", *memory->shared_bytes);
      if (memory->kernel_bytes) json.Field("kernelBytes", *memory->kernel_bytes);
    }
    PutPressure(pressure, json);
  });
}

void PutSwap(const std::optional<SwapStats>& swap, JsonWriter& json) {
  if (!swap) return;
  json.Object("swap", [&] {
    PutTime(swap->time, json);
    json.Field("swapAvailableBytes", swap->available_bytes);
    json.Field("swapUsageBytes", swap->usage_bytes);
  });
}

void PutFs(std::string_view name, const std::optional<FsStats>& fs, JsonWriter& json) {
  if (!fs) return;
  json.Object(name, [&] {
    PutTime(fs->time, json);
    json.Field("availableBytes", fs->available_bytes);
    json.Field("capacityBytes", fs->capacity_bytes);
    json.Field("usedBytes", fs->used_bytes);
    json.Field("inodesFree", fs->inodes_free);
    json.Field("inodes", fs->inodes);
    json.Field("inodesUsed", fs->inodes_used);
  });
}

void WriteUsage(const FsUsage& usage, const std::optional<Instant>& time, JsonWriter& json) {
  PutTime(time, json);
  json.Field("usedBytes", usage.used_bytes);
  json.Field("inodesUsed", usage.inodes_used);
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
        PutPressure(node.io_pressure, json);
      });
    }
    PutSwap(node.swap, json);
    PutFs("fs", node.fs, json);
    json.Object("runtime", [&] {
      PutFs("imageFs", node.image_fs, json);
      PutFs("containerFs", node.container_fs, json);
    });
    if (node.rlimit) {
      json.Object("rlimit", [&] {
        PutTime(node.rlimit->time, json);
        json.Field("maxpid", node.rlimit->max_pid);
        json.Field("curproc", node.rlimit->running);
      });
    }
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
  json.Array("volume", [&] {
    for (const VolumeStats& volume : pod.volumes) {
      json.Object([&] {
        WriteUsage(volume.usage, measured, json);
        json.Field("name", volume.name);
      });
    }
  });
}

void PutPodPressure(const std::optional<std::int32_t>& some_avg10, JsonWriter& json) {
  if (!some_avg10) return;
  json.Object("io", [&] {
    json.Object("psi", [&] { WriteShares("some", {.avg10 = some_avg10, .avg60 = {}}, json); });
  });
}

// Ours alone: a kubelet does not tell how old its figures of files are.
void PutStaleDisk(const std::optional<StaleDisk>& stale, JsonWriter& json) {
  if (!stale) return;
  json.Object("staleDisk", [&] { PutTime(stale->measured_at, json, "measuredAt"); });
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
      PutSwap(SwapStats{.time = measured, .available_bytes = {}, .usage_bytes = pod.swap_bytes},
              json);
    }
    PutPodPressure(pod.io_some_avg10, json);
    PutVolumes(pod, measured, json);
    PutUsage("ephemeral-storage", pod.ephemeral_storage, measured, json);
    PutStaleDisk(pod.stale_disk, json);
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
