#include "agent/disk_walk_thread.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "platform/disk_usage/tree_walk.h"

namespace jettison {
namespace {

// The folder of the newest run: those of earlier runs are leftovers that no limit counts.
std::optional<std::string> NewestRun(const std::string& layers) {
  std::error_code error;
  std::optional<int> newest;
  for (std::filesystem::directory_iterator it(layers, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    int attempt = 0;
    const auto [rest, bad] = std::from_chars(name.data(), name.data() + name.size(), attempt);
    if (bad != std::errc() || rest != name.data() + name.size()) continue;
    if (!newest || attempt > *newest) newest = attempt;
  }
  if (!newest) return std::nullopt;
  return layers + "/" + std::to_string(*newest);
}

void Add(const FsUsage& usage, FsUsage& total) {
  if (usage.used_bytes) total.used_bytes = total.used_bytes.value_or(0) + *usage.used_bytes;
  if (usage.inodes_used) total.inodes_used = total.inodes_used.value_or(0) + *usage.inodes_used;
}

FsUsage Measure(TreeWalk& walk, const std::string& path) {
  const auto measured = walk.Measure(path);
  return measured ? measured->usage : FsUsage{};
}

}  // namespace

PodDiskUse MeasurePod(const process::PodDisk& disk, const std::atomic<bool>& cancelled) {
  PodDiskUse use;
  TreeWalk walk(&cancelled);
  for (const auto& container : disk.containers) {
    const auto newest = NewestRun(container.layers);
    use.containers.push_back({.name = container.name,
                              .rootfs = newest ? Measure(walk, *newest) : FsUsage{},
                              .logs = Measure(walk, container.logs)});
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
    tasks.push_back({.uid = facts->pod.uid, .disk = process::DiskOf(paths_, facts->pod)});
  }
  thread_.Do([this, tasks = std::move(tasks)] {
    DiskUse use;
    for (const DiskTask& task : tasks) use[task.uid] = MeasurePod(task.disk, cancelled_);
    results_.Put(std::move(use));
  });
}

}  // namespace jettison
