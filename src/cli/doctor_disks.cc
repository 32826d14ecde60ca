#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "agent/disk_layout.h"
#include "cli/doctor_checks.h"
#include "platform/filesystem/filesystem.h"

namespace jettison {
namespace {

std::string TypeOf(const std::string& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return "unknown";
  constexpr std::uint64_t kXfs = 0x58465342;
  constexpr std::uint64_t kZfs = 0x2fc12fc1;
  switch (static_cast<std::uint64_t>(status.f_type)) {
    case EXT4_SUPER_MAGIC: return "ext4";
    case BTRFS_SUPER_MAGIC: return "btrfs";
    case TMPFS_MAGIC: return "tmpfs";
    case OVERLAYFS_SUPER_MAGIC: return "overlay";
    case NFS_SUPER_MAGIC: return "nfs";
    case kXfs: return "xfs";
    case kZfs: return "zfs";
    default: return fmt::format("type {:#x}", static_cast<std::uint64_t>(status.f_type));
  }
}

// The root directory need not be there before the agent first runs.
std::string NearestExisting(std::filesystem::path path) {
  std::error_code ignored;
  while (path.has_relative_path() && !std::filesystem::exists(path, ignored)) {
    path = path.parent_path();
  }
  return path;
}

// Whether the mount of that device has project quotas on, by its line of mountinfo.
bool HasProjectQuota(dev_t device) {
  const std::string id = fmt::format(" {}:{} ", major(device), minor(device));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(id) == std::string::npos) continue;
    if (line.find("prjquota") != std::string::npos || line.find("pquota") != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string Mebibytes(std::uint64_t bytes) {
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
  return fmt::format("{} MiB", bytes / kMebi);
}

const std::string& NodeFsOf(const AgentConfig& config) {
  return config.node_fs.empty() ? config.root : config.node_fs;
}

HostCheck FilesystemCheck(std::string_view signals, const std::string& folder) {
  const std::string path = NearestExisting(folder);
  const auto stats = ReadFilesystem(path);
  const std::string check = "file system of " + folder;
  if (!stats) {
    return {.check = check,
            .status = HostStatus::kMissing,
            .found = stats.error().message,
            .cost = fmt::format("{} is unknown", signals),
            .remedy = "name a directory that can be reached"};
  }
  const std::string size =
      fmt::format("{}, {} of {} available", TypeOf(path), Mebibytes(*stats->available_bytes),
                  Mebibytes(*stats->capacity_bytes));
  if (stats->inodes) {
    return OkCheck(
        check, fmt::format("{}, {} of {} inodes free", size, *stats->inodes_free, *stats->inodes));
  }
  return {.check = check,
          .status = HostStatus::kDegraded,
          .found = size + ", inodes not counted",
          .cost = fmt::format("there is no {}.inodesFree to watch; this kind of file system cannot "
                              "run out of inodes apart from its space",
                              signals),
          .remedy = "none needed; ext4 or xfs count inodes"};
}

// Nothing is lost without them: the walk works on every file system.
HostCheck ProjectQuotaCheck(const std::string& root) {
  const auto device = DeviceOf(NearestExisting(root));
  const bool on = device && HasProjectQuota(*device);
  return OkCheck("project quotas",
                 on ? "on, not used: what pods occupy is measured by walking their files"
                    : "off, not needed: what pods occupy is measured by walking their files");
}

HostCheck DiskLayoutCheck(const AgentConfig& config, const std::string& images,
                          const std::string& layers) {
  const DiskSurvey survey = SurveyDisks(
      {.node = NearestExisting(NodeFsOf(config)), .images = images, .containers = layers});
  if (survey.faults.empty()) return OkCheck("disk layout", Describe(survey.layout));
  return {.check = "disk layout",
          .status = HostStatus::kDegraded,
          .found = survey.faults.front(),
          .cost = "it counts as lying on nodefs, so a shortage of its own is not seen",
          .remedy = "run the agent where it sees the runtime's folders"};
}

}  // namespace jettison
