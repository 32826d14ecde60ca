#include "runtimes/process/pod_removal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"

namespace jettison::process {

using namespace kernel;

namespace {

std::string RemovalMark(const Paths& paths, std::string_view uid) {
  return paths.PodFile(uid) + ".gone";
}

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

std::string DamagedPodFile(const Paths& paths, std::string_view uid) {
  return paths.PodFile(uid) + ".damaged";
}

// A mark that cannot be looked up does not count: a folder with it is deleted.
bool IsMarkedAsRemoved(const Paths& paths, std::string_view uid) {
  return ::access(RemovalMark(paths, uid).c_str(), F_OK) == 0;
}

// On a full disk the new name may find no room. Then the file is deleted: if the removal is
// interrupted after that, the next agent leaves the folder as it is.
void MarkAsRemoved(const Paths& paths, std::string_view uid) {
  const std::string file = paths.PodFile(uid);
  if (std::rename(file.c_str(), RemovalMark(paths, uid).c_str()) != 0) (void)::unlink(file.c_str());
  (void)::unlink(DamagedPodFile(paths, uid).c_str());
}

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

// When a later step has been done by the disk, this is done as well, and nothing is made any more.
void PodRemoval::EndInRuntime(Done done) {
  context_.disk.Do([paths = context_.paths, uid = remains().uid]() -> Result<void> {
    MarkAsRemoved(paths, uid);
    return {};
  });
  done({});
}

void PodRemoval::CollectFiles(std::function<void(RemovalOrder)> done) {
  const auto points = std::make_shared<std::vector<MountPoint>>();
  context_.disk.Do(
      [paths = context_.paths, uid = remains().uid, points]() -> Result<void> {
        *points = ReadMountPoints(paths, uid);
        return {};
      },
      lifetime().Guard([this, points, done = std::move(done)](const Result<void>&) {
        ReleaseMountPoints(*points, done);
      }));
}

// A pod that is created after this has its folders made after the disk's part of the removal, so
// none of its containers can mount anything at a place that is about to go.
void PodRemoval::ReleaseMountPoints(const std::vector<MountPoint>& points,
                                    const std::function<void(RemovalOrder)>& done) {
  MountPointRelease release = PlanRelease(points, mount_point_user_);
  if (!release.handed_over.empty()) {
    context_.disk.Do(
        [paths = context_.paths, handed_over = std::move(release.handed_over)]() -> Result<void> {
          HandOver(paths, handed_over);
          return {};
        });
  }
  const auto leave = [this, done](const Result<void>& removed) {
    context_.LogFailure("pod " + remains().uid, removed);
    errand_.reset();
    done(Files());
  };
  errand_ = std::make_unique<PathErrand>(context_.readiness, context_.disk, context_.path_patience);
  if (const auto removed = errand_->Begin(std::move(release.removals), leave)) leave(*removed);
}

// The runs go before the mark that is beside them: without it, a run that is left speaks for a pod
// whose file was lost.
RemovalOrder PodRemoval::Files() {
  const std::string pod = context_.paths.Pod(remains().uid);
  RemovalOrder order{.pod = pod, .trees = remains().log_dirs};
  order.trees.push_back(context_.paths.Containers(remains().uid));
  order.trees.push_back(pod);
  return order;
}

}  // namespace jettison::process
