#include "kernel/filesystem/filesystem.h"

#include <sys/stat.h>

#include <cerrno>

#include "ports/system_error.h"

namespace jettison {
namespace {

// A file system may report more free space than its size while it changes.
std::uint64_t Minus(std::uint64_t total, std::uint64_t free) {
  return total > free ? total - free : 0;
}

}  // namespace

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
