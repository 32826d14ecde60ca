#include "kernel/filesystem/filesystem.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <string_view>

#include "ports/system_error.h"

namespace jettison {
namespace {

bool Holds(std::string_view point, std::string_view path) {
  if (point == "/") return path.starts_with('/');
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

constexpr int kMostLinks = 40;  // as many as the kernel follows

// Adds the names of a path to those that are left, the next one last.
void PutBefore(std::string_view path, std::vector<std::string>& left) {
  while (!path.empty()) {
    const std::size_t start = path.rfind('/') + 1;  // 0 where there is none
    left.emplace_back(path.substr(start));
    path = path.substr(0, start == 0 ? 0 : start - 1);
  }
}

// The target of a link; absent if the path is not a link, or does not exist.
std::optional<std::string> LinkAt(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size <= 0) return std::nullopt;
  return std::string(target.data(), static_cast<std::size_t>(size));
}

// A file system may report more free space than its size while it changes.
std::uint64_t Minus(std::uint64_t total, std::uint64_t free) {
  return total > free ? total - free : 0;
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

// `at` is what has been followed so far: it holds no links, so that the folder above it is what is
// left without its last name.
Place PlaceOf(const std::vector<kernel::Mount>& mounts, const std::string& path) {
  if (!path.starts_with('/')) return {.path = path, .mount = {}, .answers_by_itself = false};
  std::vector<std::string> left;  // names to follow, the next one last
  PutBefore(path, left);
  std::string at;
  bool behind_another = false;  // a file system on the way may not answer
  int links = 0;
  while (!left.empty()) {
    const std::string name = std::move(left.back());
    left.pop_back();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      at.erase(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = at + "/" + name;
    const kernel::Mount* const mount = MountOf(mounts, next);
    const bool local = mount != nullptr && AnswersByItself(mount->type);
    // If the root itself hangs, everything does.
    if (!local && mount != nullptr && mount->point != "/") behind_another = true;
    const bool may_ask = local && !behind_another && links < kMostLinks;
    const auto link = may_ask ? LinkAt(next) : std::nullopt;
    if (!link) {
      at = next;
      continue;
    }
    ++links;
    if (link->starts_with('/')) at.clear();
    PutBefore(*link, left);
  }
  if (at.empty()) at = "/";
  const kernel::Mount* const mount = MountOf(mounts, at);
  if (mount == nullptr) return {.path = at, .mount = {}, .answers_by_itself = false};
  return {.path = at,
          .mount = *mount,
          .answers_by_itself = !behind_another && AnswersByItself(mount->type)};
}

Place FindPlace(const std::string& path, const std::string& mounts) {
  const auto known = kernel::ReadMounts(mounts);
  if (!known) return {.path = path, .mount = {}, .answers_by_itself = true};
  return PlaceOf(*known, path);
}

FsStats FsStatsOf(const struct statvfs& status) {
  const std::uint64_t block = status.f_frsize;
  FsStats stats;
  if (status.f_blocks == 0) return stats;
  stats.available_bytes = status.f_bavail * block;
  stats.capacity_bytes = status.f_blocks * block;
  stats.used_bytes = Minus(status.f_blocks, status.f_bfree) * block;
  if (status.f_files == 0) return stats;
  stats.inodes_free = status.f_ffree;
  stats.inodes = status.f_files;
  stats.inodes_used = Minus(status.f_files, status.f_ffree);
  return stats;
}

Result<FsStats> ReadFilesystem(const std::string& path) {
  struct statvfs status {};
  while (::statvfs(path.c_str(), &status) != 0) {
    if (errno != EINTR) return FailErrno("statvfs " + path);
  }
  return FsStatsOf(status);
}

Result<dev_t> DeviceOf(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return FailErrno("stat " + path);
  return status.st_dev;
}

Result<dev_t> DeviceOf(const Place& place) {
  if (!place.answers_by_itself) {
    if (place.mount) return place.mount->device;
    return Fail(ErrorCode::kUnavailable, place.path + ": no mount is known that holds it");
  }
  auto device = DeviceOf(place.path);
  if (device && place.mount && place.mount->type == "btrfs") return place.mount->device;
  return device;
}

}  // namespace jettison
