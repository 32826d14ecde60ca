#include "runtimes/process/removal/mount_points.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"

namespace jettison::process {

using namespace kernel;
namespace {

void NoteFor(const Paths& paths, const std::string& to_uid, const MountPoint& point) {
  const FileDescriptor file(::open(paths.MountPoints(to_uid).c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return;
  const std::string line = fmt::format("{} {}\n", point.directory ? 'd' : 'f', point.path);
  // If a note is lost, only an empty folder is left behind.
  (void)!::write(file.get(), line.data(), line.size());
}

void RemoveIfEmpty(const MountPoint& point) {
  if (point.directory) {
    (void)::rmdir(point.path.c_str());
    return;
  }
  struct stat facts {};
  if (::lstat(point.path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0) {
    (void)::unlink(point.path.c_str());
  }
}

}  // namespace

std::vector<MountPoint> ParseMountPoints(std::string_view text) {
  std::vector<MountPoint> points;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.starts_with("d /") || line.starts_with("f /")) {
      points.push_back({.directory = line[0] == 'd', .path = std::string(line.substr(2))});
    }
  }
  return points;
}

std::vector<MountPoint> ReadMountPoints(const Paths& paths, std::string_view uid) {
  return ParseMountPoints(ReadFile(paths.MountPoints(uid)).value_or(""));
}

MountPointRelease PlanRelease(const std::vector<MountPoint>& points,
                              const MountPointUser& user_of) {
  MountPointRelease release;
  for (const MountPoint& point : points) {
    if (auto user = user_of(point.path)) {
      release.handed_over.push_back({.to_uid = *std::move(user), .point = point});
      continue;
    }
    release.removals.push_back({.what = "remove an empty mount point",
                                .path = point.path,
                                .work = [point](const std::atomic<bool>&) -> Result<void> {
                                  RemoveIfEmpty(point);
                                  return {};
                                }});
  }
  std::ranges::reverse(release.removals);
  return release;
}

void HandOver(const Paths& paths, const std::vector<MountPointRelease::HandedOver>& handed_over) {
  for (const auto& [to_uid, point] : handed_over) NoteFor(paths, to_uid, point);
}

}  // namespace jettison::process
