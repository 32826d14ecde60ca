#include "agent/disk_measurer.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "platform/filesystem/filesystem.h"
#include "platform/project_quota/project_quota.h"

namespace jettison {
namespace {

void Add(const FsUsage& usage, FsUsage& total) {
  if (usage.used_bytes) total.used_bytes = total.used_bytes.value_or(0) + *usage.used_bytes;
  if (usage.inodes_used) total.inodes_used = total.inodes_used.value_or(0) + *usage.inodes_used;
}

}  // namespace

Instant NextFullWalk(const std::string& path, Instant walked, Duration period) {
  constexpr std::size_t kSteps = 1024;
  const auto step = static_cast<Duration::rep>(std::hash<std::string>()(path) % kSteps);
  const Duration half = period / 2;
  return walked + period - half * step / static_cast<Duration::rep>(kSteps);
}

DiskMeasurer::DiskMeasurer(const Clock& clock, WalkOptions options, DiskMeasurerSettings settings)
    : clock_(clock), settings_(settings), walk_(std::move(options)) {}

void DiskMeasurer::Note(std::string sentence) {
  if (!noted_.try_emplace(sentence, true).second) return;
  notes_.push_back(std::move(sentence));
}

std::vector<std::string> DiskMeasurer::TakeNotes() {
  return std::exchange(notes_, {});
}

void DiskMeasurer::CatchUp(Filesystem& filesystem) {
  if (!filesystem.events) return;
  filesystem.caught_up = clock_.Now();
  const FilesystemEvents::Changes changes = filesystem.events->Take();
  if (changes.lost) {
    filesystem.trees.ForgetAll();
    Note(
        "more changed on a file system than the kernel keeps, so pods' files there are walked "
        "whole; fs.fanotify.max_queued_events says how much it keeps");
    return;
  }
  // A walk that was cancelled has forgotten everything, and the whole pass is over.
  static_cast<void>(filesystem.trees.Apply(changes.directories, walk_));
}

void DiskMeasurer::BeginPass() {
  for (auto& [device, filesystem] : filesystems_) {
    filesystem.asked_for = false;
    CatchUp(filesystem);
  }
  for (auto& [path, asked] : asked_for_) asked = false;
}

void DiskMeasurer::EndPass() {
  std::erase_if(filesystems_, [](const auto& entry) { return !entry.second.asked_for; });
  for (auto& [device, filesystem] : filesystems_) {
    for (const std::string& path : filesystem.trees.Paths()) {
      if (!asked_for_[path]) filesystem.trees.Forget(path);
    }
    std::erase_if(filesystem.next_walk,
                  [this](const auto& entry) { return !asked_for_[entry.first]; });
  }
  std::erase_if(asked_for_, [](const auto& entry) { return !entry.second; });
}

// Null where changes on the path's file system cannot be had.
DiskMeasurer::Filesystem* DiskMeasurer::FilesystemOf(const std::string& path) {
  const auto device = DeviceOf(path);
  if (!device) return nullptr;
  auto [place, is_new] = filesystems_.try_emplace(*device);
  // Another file system may have come in the place, and with the number, of one that was unmounted.
  if (!is_new && place->second.events && !place->second.events->Covers(path)) {
    filesystems_.erase(place);
    std::tie(place, is_new) = filesystems_.try_emplace(*device);
  }
  Filesystem& filesystem = place->second;
  filesystem.asked_for = true;
  if (is_new) {
    if (auto events = FilesystemEvents::Of(path)) {
      filesystem.events = std::move(*events);
    } else {
      Note("changes cannot be had, so pods' files are walked whole each time: " +
           events.error().message);
    }
  }
  return filesystem.events ? &filesystem : nullptr;
}

FsUsage DiskMeasurer::WalkAndRemember(const std::string& path, Filesystem& filesystem) {
  ++full_walks_;
  const auto walked = filesystem.trees.Walk(path, walk_);
  filesystem.next_walk[path] = NextFullWalk(path, clock_.Now(), settings_.full_walk_period);
  return walked ? walked->usage : FsUsage{};
}

// What the file system itself has counted.
std::optional<FsUsage> DiskMeasurer::CountedUse(const std::string& path) {
  const auto project = ProjectOf(path);
  if (!project || !*project) return std::nullopt;
  const auto usage = ReadProjectUsage(path, **project);
  return usage ? std::optional(*usage) : std::nullopt;
}

FsUsage DiskMeasurer::MeasureTree(const std::string& path, TreeKind kind, Instant& as_of) {
  if (kind == TreeKind::kOrdinary) {
    const Instant now = clock_.Now();
    if (const auto usage = CountedUse(path)) {
      as_of = std::min(as_of, now);
      return *usage;
    }
  }
  const bool announced =
      kind == TreeKind::kOrdinary || (kind == TreeKind::kUpperLayer && settings_.overlay_announced);
  Filesystem* const filesystem = announced ? FilesystemOf(path) : nullptr;
  const Instant now = clock_.Now();
  if (filesystem == nullptr) {
    as_of = std::min(as_of, now);
    ++full_walks_;
    const auto measured = walk_.Measure(path);
    return measured ? measured->usage : FsUsage{};
  }
  asked_for_[path] = true;
  const auto due = filesystem->next_walk.find(path);
  if (due != filesystem->next_walk.end() && now < due->second) {
    if (const auto usage = filesystem->trees.UsageOf(path)) {
      as_of = std::min(as_of, filesystem->caught_up);
      return *usage;
    }
  }
  as_of = std::min(as_of, now);
  return WalkAndRemember(path, *filesystem);
}

PodDiskUse DiskMeasurer::Measure(const PodDisk& disk) {
  PodDiskUse use;
  use.measured_at = clock_.Now();
  const auto measure = [&](const std::string& path, TreeKind kind) {
    return path.empty() ? FsUsage{} : MeasureTree(path, kind, use.measured_at);
  };
  for (const auto& container : disk.containers) {
    use.containers.push_back({.name = container.name,
                              .rootfs = measure(container.layer, TreeKind::kUpperLayer),
                              .logs = measure(container.logs, TreeKind::kOrdinary)});
    Add(use.containers.back().rootfs, use.total);
    Add(use.containers.back().logs, use.total);
  }
  for (const auto& volume : disk.empty_dirs) {
    const TreeKind kind = volume.memory ? TreeKind::kMemory : TreeKind::kOrdinary;
    use.volumes.push_back({.name = volume.name, .usage = measure(volume.path, kind)});
    if (!volume.memory) Add(use.volumes.back().usage, use.total);
  }
  return use;
}

}  // namespace jettison
