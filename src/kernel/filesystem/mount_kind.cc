#include "kernel/filesystem/mount_kind.h"

#include <algorithm>
#include <array>

namespace jettison {
namespace {

bool Holds(std::string_view point, std::string_view path) {
  if (point == "/") return path.starts_with('/');
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

}  // namespace

const kernel::Mount* MountOf(const std::vector<kernel::Mount>& mounts, std::string_view path) {
  const kernel::Mount* best = nullptr;
  for (const kernel::Mount& mount : mounts) {
    if (!Holds(mount.point, path)) continue;
    if (best == nullptr || mount.point.size() >= best->point.size()) best = &mount;
  }
  return best;
}

bool AnswersByItself(std::string_view type) {
  constexpr std::array<std::string_view, 19> kKinds = {
      "bcachefs", "btrfs", "devtmpfs", "erofs", "exfat", "ext2",   "ext3",
      "ext4",     "f2fs",  "overlay",  "proc",  "ramfs", "rootfs", "squashfs",
      "sysfs",    "tmpfs", "vfat",     "xfs",   "zfs"};
  return std::ranges::find(kKinds, type) != kKinds.end();
}

}  // namespace jettison
