#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/files/paths.h"
#include "kernel/readiness/disk_work.h"
#include "pods/pod_removal.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Marks a pod's folder as one that is being removed, by renaming the pod's file to `pod.json.gone`.
// A pod's file that is merely missing says nothing: somebody else may have taken it away.
void MarkAsRemoved(const kernel::Paths& paths, std::string_view uid);

[[nodiscard]] bool IsMarkedAsRemoved(const kernel::Paths& paths, std::string_view uid);

// What the repair of a pod's file leaves beside it.
[[nodiscard]] std::string DamagedPodFile(const kernel::Paths& paths, std::string_view uid);

// A place that a shim made on the host to mount a volume at.
struct MountPoint {
  bool directory = true;  // else an empty file
  std::string path;
  friend bool operator==(const MountPoint&, const MountPoint&) = default;
};

// Reads the notes of the shims, a "d PATH" or "f PATH" a line, in the order in which the places
// were made. A line that is neither, or not finished, is left out.
[[nodiscard]] std::vector<MountPoint> ParseMountPoints(std::string_view text);

// The places that were made for a pod; none where the notes cannot be read.
[[nodiscard]] std::vector<MountPoint> ReadMountPoints(const kernel::Paths& paths,
                                                      std::string_view uid);

// Another pod that mounts something at this place or below it; absent when there is none.
using MountPointUser = std::function<std::optional<std::string>(std::string_view path)>;

// What becomes of the places of a pod that is removed.
struct MountPointRelease {
  struct HandedOver {
    std::string to_uid;
    MountPoint point;
  };
  // Those that another pod uses: removing one would tear that pod's volume down.
  std::vector<HandedOver> handed_over;
  // Remove the others where they are still empty, the last one first.
  std::vector<kernel::PathStep> removals;
};
// Touches no file.
[[nodiscard]] MountPointRelease PlanRelease(const std::vector<MountPoint>& points,
                                            const MountPointUser& user_of);

// Notes the places for their new owners.
void HandOver(const kernel::Paths& paths,
              const std::vector<MountPointRelease::HandedOver>& handed_over);

// Takes down what is left of a pod: the places that were made on the host for its mounts, too. From
// its beginning on the pod's folder is no pod any more, so that an agent that starts later goes on
// where this one was interrupted.
class PodRemoval : public jettison::PodRemoval {
 public:
  // `user`: who else uses its mount points.
  PodRemoval(RuntimeContext& context, PodRemains remains, MountPointUser user)
      : jettison::PodRemoval(context, std::move(remains)),
        context_(context),
        mount_point_user_(std::move(user)) {}

 private:
  void EndInRuntime(Done done) override;
  void CollectFiles(std::function<void(RemovalOrder)> done) override;
  void ReleaseMountPoints(const std::vector<MountPoint>& points,
                          const std::function<void(RemovalOrder)>& done);
  [[nodiscard]] RemovalOrder Files();

  RuntimeContext& context_;
  MountPointUser mount_point_user_;
  // Of the mount points, one of which may lie on a file system that never answers.
  std::unique_ptr<kernel::PathErrand> errand_;
};

}  // namespace jettison::process
