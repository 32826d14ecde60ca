#include "agent/disk_walk_thread.h"

#include "platform/disk_usage/tree_walk.h"

namespace jettison {
namespace {

void Add(const FsUsage& usage, FsUsage& total) {
  if (usage.used_bytes) total.used_bytes = total.used_bytes.value_or(0) + *usage.used_bytes;
  if (usage.inodes_used) total.inodes_used = total.inodes_used.value_or(0) + *usage.inodes_used;
}

FsUsage Measure(TreeWalk& walk, const std::string& path) {
  const auto measured = walk.Measure(path);
  return measured ? measured->usage : FsUsage{};
}

}  // namespace

PodDiskUse MeasurePod(const PodDisk& disk, const std::atomic<bool>& cancelled) {
  PodDiskUse use;
  TreeWalk walk({.cancelled = &cancelled});
  for (const auto& container : disk.containers) {
    use.containers.push_back(
        {.name = container.name,
         .rootfs = container.layer.empty() ? FsUsage{} : Measure(walk, container.layer),
         .logs = container.logs.empty() ? FsUsage{} : Measure(walk, container.logs)});
    Add(use.containers.back().rootfs, use.total);
    Add(use.containers.back().logs, use.total);
  }
  for (const auto& volume : disk.empty_dirs) {
    use.volumes.push_back({.name = volume.name, .usage = Measure(walk, volume.path)});
    if (!volume.memory) Add(use.volumes.back().usage, use.total);
  }
  return use;
}

void DiskWalkThread::Start(std::span<const PodFacts* const> pods) {
  std::vector<DiskTask> tasks;
  for (const PodFacts* facts : pods) {
    tasks.push_back({.uid = facts->pod.uid, .disk = runtime_.DiskOf(facts->pod)});
  }
  thread_.Do([this, tasks = std::move(tasks)] {
    DiskUse use;
    for (const DiskTask& task : tasks) use[task.uid] = MeasurePod(task.disk, cancelled_);
    results_.Put(std::move(use));
  });
}

}  // namespace jettison
