#include "agent/disk/disk_figures.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jettison {
namespace {

void Add(const FsUsage& usage, FsUsage& total) {
  if (usage.used_bytes) total.used_bytes = total.used_bytes.value_or(0) + *usage.used_bytes;
  if (usage.inodes_used) total.inodes_used = total.inodes_used.value_or(0) + *usage.inodes_used;
}

bool HoldsNoLess(const FsUsage& usage, const FsUsage& than) {
  return usage.used_bytes.value_or(0) >= than.used_bytes.value_or(0) &&
         usage.inodes_used.value_or(0) >= than.inodes_used.value_or(0);
}

// Read errors do not make a pod's figures smaller for this long. If they last longer, the figures
// are those of the files that can be read.
constexpr Duration kUnreadPatience = std::chrono::minutes(1);

// How long a decision for a disk waits for pods without complete figures.
constexpr Duration kReadAgainFor = std::chrono::seconds(10);

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

void KnownDiskUse::Begin(TextSet pods) {
  pods_ = std::move(pods);
  std::erase_if(use_, [this](const auto& entry) { return !pods_.contains(entry.first); });
  std::erase_if(unread_since_, [this](const auto& entry) { return !pods_.contains(entry.first); });
}

void KnownDiskUse::Put(const std::string& uid, PodDiskUse use) {
  if (!pods_.contains(uid)) return;
  if (use.partial && !PartCounts(uid, use)) return;
  if (!use.partial) unread_since_.erase(uid);
  use_[uid] = std::move(use);
}

bool KnownDiskUse::PartCounts(const std::string& uid, const PodDiskUse& part) {
  const auto known = use_.find(uid);
  const bool is_known = known != use_.end();
  if (!is_known || known->second.partial) unread_since_.try_emplace(uid, part.measured_at);
  if (!is_known) return part.total.inodes_used.has_value();
  return HoldsNoLess(part.total, known->second.total) ||
         part.measured_at - known->second.measured_at >= kUnreadPatience;
}

void KnownDiskUse::PutSoFar(const std::string& uid, PodDiskUse so_far) {
  if (!pods_.contains(uid) || !so_far.total.inodes_used) return;
  const auto known = use_.find(uid);
  if (known != use_.end() && !HoldsNoLess(so_far.total, known->second.total)) return;
  use_[uid] = std::move(so_far);
}

void KnownDiskUse::Forget(const std::string& uid) {
  use_.erase(uid);
  unread_since_.erase(uid);
}

std::optional<Instant> KnownDiskUse::UnreadUntil(Instant now) const {
  std::optional<Instant> until;
  for (const auto& [uid, since] : unread_since_) {
    if (now < since + kReadAgainFor) until = std::max(until, std::optional(since + kReadAgainFor));
  }
  return until;
}

}  // namespace jettison
