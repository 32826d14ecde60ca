#include "agent/disk/disk_so_far.h"

#include <mutex>

namespace jettison {
namespace {

void Add(const FsUsage& usage, FsUsage& total) {
  if (usage.used_bytes) total.used_bytes = total.used_bytes.value_or(0) + *usage.used_bytes;
  if (usage.inodes_used) total.inodes_used = total.inodes_used.value_or(0) + *usage.inodes_used;
}

}  // namespace

PodDiskUse FiguresOf(const PodDisk& disk) {
  PodDiskUse use;
  for (const auto& container : disk.containers) {
    use.containers.push_back({.name = container.name, .rootfs = {}, .logs = {}});
  }
  for (const auto& volume : disk.empty_dirs) {
    use.volumes.push_back({.name = volume.name, .usage = {}});
  }
  return use;
}

FsUsage& FigureOf(PodDiskUse& use, std::size_t figure) {
  const std::size_t of_containers = 2 * use.containers.size();
  if (figure >= of_containers) return use.volumes[figure - of_containers].usage;
  PodDiskUse::OfContainer& container = use.containers[figure / 2];
  return figure % 2 == 0 ? container.rootfs : container.logs;
}

FsUsage TotalOf(const PodDiskUse& use, const PodDisk& disk) {
  FsUsage total;
  for (const PodDiskUse::OfContainer& container : use.containers) {
    Add(container.rootfs, total);
    Add(container.logs, total);
  }
  for (std::size_t i = 0; i < use.volumes.size(); ++i) {
    if (!disk.empty_dirs[i].memory) Add(use.volumes[i].usage, total);
  }
  return total;
}

void DiskSoFar::Begin(const PodDisk& disk, const PodDiskUse& use) {
  const std::lock_guard lock(mutex_);
  disk_ = disk;
  use_ = use;
  use_.partial = true;
  open_.reset();
}

void DiskSoFar::Open(std::size_t figure) {
  Restart();
  const std::lock_guard lock(mutex_);
  open_ = figure;
}

void DiskSoFar::Restart() {
  const std::lock_guard lock(mutex_);
  progress_.bytes = 0;
  progress_.inodes = 0;
}

void DiskSoFar::Close(const FsUsage& usage) {
  const std::lock_guard lock(mutex_);
  FigureOf(use_, *open_) = usage;
  open_.reset();
}

PodDiskUse DiskSoFar::Read() const {
  const std::lock_guard lock(mutex_);
  PodDiskUse use = use_;
  if (open_ && progress_.inodes > 0) {
    FigureOf(use, *open_) = {.used_bytes = progress_.bytes, .inodes_used = progress_.inodes};
  }
  use.total = TotalOf(use, disk_);
  return use;
}

}  // namespace jettison
