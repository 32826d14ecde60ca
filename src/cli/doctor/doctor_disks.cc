#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "agent/figures/disk_layout.h"
#include "agent/figures/disk_stats_reader.h"
#include "cli/doctor/doctor.h"
#include "kernel/filesystem/filesystem.h"
#include "kernel/fs_events/filesystem_events.h"

namespace jettison {
namespace {

std::string TypeOf(const Place& place) {
  return place.mount ? place.mount->type : "unknown";
}

}  // namespace

Place NearestExisting(const std::string& folder) {
  Place place = FindPlace(folder);
  std::error_code ignored;
  std::filesystem::path path = place.path;
  while (place.answers_by_itself && path.has_relative_path() &&
         !std::filesystem::exists(path, ignored)) {
    path = path.parent_path();
  }
  place.path = path;
  return place;
}

std::string Mebibytes(std::uint64_t bytes) {
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
  return fmt::format("{} MiB", bytes / kMebi);
}

const std::string& NodeFsOf(const AgentConfig& config) {
  return config.node_fs.empty() ? config.root : config.node_fs;
}

HostCheck FilesystemCheck(std::string_view signals, const std::string& folder) {
  const Place place = NearestExisting(folder);
  const std::string type = TypeOf(place);
  const auto stats = DiskStatsReader().Read(place.path, {});
  const std::string check(signals);
  if (!stats) {
    return Missing(check, fmt::format("{}: {}, {}", folder, type, stats.error().message),
                   fmt::format("{} is unknown", signals), "name a directory that can be reached");
  }
  std::string found =
      fmt::format("{}: {}, {} of {} available", folder, type, Mebibytes(*stats->available_bytes),
                  Mebibytes(*stats->capacity_bytes));
  if (stats->inodes) {
    found += fmt::format(", {} of {} inodes free", *stats->inodes_free, *stats->inodes);
  }
  if (place.mount && place.mount->HasOption("ro")) {
    return Degraded(check, found + ", read-only",
                    fmt::format("nothing can be deleted to reclaim {}", signals),
                    "mount it read-write, or name another directory");
  }
  if (!place.answers_by_itself) {
    return Degraded(
        check, found + ", which a server or another process answers for",
        fmt::format("{} is unknown whenever the file system does not answer within 100 ms",
                    signals),
        "use a local file system for what the agent guards");
  }
  if (stats->inodes) return OkCheck(check, found);
  return Degraded(check, found + ", inodes not counted",
                  fmt::format("{}.inodesFree is not watched; this kind of file system cannot run "
                              "out of inodes before it runs out of space",
                              signals),
                  "none needed; ext4 or xfs count inodes");
}

HostCheck DiskChangesCheck(const std::string& root) {
  const Place place = NearestExisting(root);
  const auto events =
      place.answers_by_itself
          ? FilesystemEvents::Of(place.path)
          : Fail(ErrorCode::kUnavailable, TypeOf(place) + " does not report what others change");
  const std::string told =
      KernelAnnouncesOverlayWrites()
          ? "reported by the kernel: only what changed is read again"
          : "reported by the kernel, except in writable layers, which are read whole";
  return CheckOf(events ? Result<std::string>(told) : Fail(events.error()),
                 Degraded("changes on disk", "", "all files of pods are read in every pass",
                          "Linux 5.9 or later, CAP_SYS_ADMIN, and ext4 or xfs"));
}

HostCheck DiskLayoutCheck(const AgentConfig& config, const std::string& images,
                          const std::string& layers) {
  const DiskSurvey survey = SurveyDisks(
      {.node = NearestExisting(NodeFsOf(config)).path, .images = images, .containers = layers});
  if (survey.faults.empty()) return OkCheck("disk layout", Describe(survey.layout));
  return Degraded("disk layout", survey.faults.front(),
                  "it counts as part of nodefs, so a shortage on it alone is not noticed",
                  "run the agent where it sees the runtime's folders");
}

}  // namespace jettison
