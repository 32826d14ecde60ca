#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "agent/disk_layout.h"
#include "agent/disk_stats_reader.h"
#include "cli/doctor_checks.h"
#include "platform/filesystem/filesystem.h"
#include "platform/filesystem/mount_kind.h"
#include "platform/fs_events/filesystem_events.h"
#include "pod_host/mount_info.h"

namespace jettison {
namespace {

// Kind and state of the file system at a path, as mountinfo tells, without asking the file system.
struct Place {
  std::string type = "unknown";
  bool read_only = false;
  bool answers_by_itself = true;
};

Place PlaceOf(const std::string& path) {
  const auto mounts = pod_host::ReadMounts("/proc/self/mountinfo");
  const pod_host::Mount* mount = mounts ? MountOf(*mounts, path) : nullptr;
  if (mount == nullptr) return {};
  return {.type = mount->type,
          .read_only = mount->HasOption("ro"),
          .answers_by_itself = AnswersByItself(mount->type)};
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
  const Place place = PlaceOf(folder);
  // To look what is there may wait for ever where somebody else has to answer.
  const std::string path = place.answers_by_itself ? NearestExisting(folder) : folder;
  const auto stats = DiskStatsReader().Read(path);
  const std::string check = "file system of " + folder;
  if (!stats) {
    return {.check = check,
            .status = HostStatus::kMissing,
            .found = place.type + ", " + stats.error().message,
            .cost = fmt::format("{} is unknown", signals),
            .remedy = "name a directory that can be reached"};
  }
  std::string found =
      fmt::format("{}, {} of {} available", place.type, Mebibytes(*stats->available_bytes),
                  Mebibytes(*stats->capacity_bytes));
  if (stats->inodes) {
    found += fmt::format(", {} of {} inodes free", *stats->inodes_free, *stats->inodes);
  }
  if (place.read_only) {
    return {.check = check,
            .status = HostStatus::kDegraded,
            .found = found + ", read-only",
            .cost = fmt::format("nothing that is deleted brings {} back", signals),
            .remedy = "mount it read-write, or name another directory"};
  }
  if (!place.answers_by_itself) {
    return {.check = check,
            .status = HostStatus::kDegraded,
            .found = found + ", not of this kernel alone",
            .cost = fmt::format("while it does not answer within 100 ms, {} is unknown", signals),
            .remedy = "keep what the agent guards on a local file system"};
  }
  if (stats->inodes) return OkCheck(check, found);
  return {.check = check,
          .status = HostStatus::kDegraded,
          .found = found + ", inodes not counted",
          .cost = fmt::format("there is no {}.inodesFree to watch; this kind of file system cannot "
                              "run out of inodes apart from its space",
                              signals),
          .remedy = "none needed; ext4 or xfs count inodes"};
}

// Nothing is lost without them: reading what changed works on every such file system.
HostCheck ProjectQuotaCheck(const std::string& root) {
  const auto device = DeviceOf(NearestExisting(root));
  const bool on = device && HasProjectQuota(*device);
  return OkCheck("project quotas", on ? "on: the file system counts what pods write to emptyDirs"
                                      : "off, not needed: pods' files are read where they change");
}

HostCheck DiskChangesCheck(const std::string& root) {
  const auto events = FilesystemEvents::Of(NearestExisting(root));
  if (!events) {
    return {.check = "changes on disk",
            .status = HostStatus::kDegraded,
            .found = events.error().message,
            .cost = "pods' files are walked whole in every pass",
            .remedy = "Linux 5.9 or later, CAP_SYS_ADMIN, and ext4, xfs or btrfs"};
  }
  return OkCheck("changes on disk",
                 KernelAnnouncesOverlayWrites()
                     ? "told by the kernel: only what changed is read again"
                     : "told by the kernel, but for writable layers, which are walked");
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
