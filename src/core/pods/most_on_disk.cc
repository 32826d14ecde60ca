#include "core/pods/most_on_disk.h"

#include <algorithm>

namespace jettison {
namespace {

std::uint64_t Used(const std::optional<FsUsage>& usage) {
  return usage ? usage->used_bytes.value_or(0) : 0;
}

}  // namespace

MostOnDisk MostOnDiskOf(const PodStats& pod) {
  MostOnDisk most{.pod = Used(pod.ephemeral_storage)};
  for (const VolumeStats& volume : pod.volumes) {
    most.volume = std::max(most.volume, volume.usage.used_bytes.value_or(0));
  }
  for (const ContainerStats& container : pod.containers) {
    const std::uint64_t logs = Used(container.logs);
    const std::uint64_t both = logs + Used(container.rootfs);  // less than one of them if it wraps
    most.container = std::max({most.container, logs, both});
  }
  return most;
}

}  // namespace jettison
