#include "runtimes/process/removal/pod_removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernel/readiness/retry_delay.h"
#include "pods/pod_groups.h"
#include "pods/removal_job.h"
#include "runtimes/process/removal/removal_mark.h"

namespace jettison::process {

using namespace kernel;
namespace {

using std::chrono::milliseconds;

constexpr Duration kFirstRetry = milliseconds(5);
// Killed processes take a moment to end, so a failure is only logged after this many tries.
constexpr int kSilentFailures = 8;
// They take somewhat more than a second with the delays above.
constexpr int kPatientFailures = 8;

}  // namespace

PodRemoval::PodRemoval(RuntimeContext& context, PodRemains remains)
    : context_(context), remains_(std::move(remains)) {}

// When this is done, everything before it is done as well, and nothing is made any more.
void PodRemoval::ForgetPod() {
  forgotten_ = Step::kUnderWay;
  context_.disk.Do(
      [paths = context_.paths, uid = remains_.uid]() -> Result<void> {
        MarkAsRemoved(paths, uid);
        return {};
      },
      lifetime_.Guard([this](const Result<void>&) { forgotten_ = Step::kDone; }));
}

bool PodRemoval::Continue() {
  if (forgotten_ == Step::kNotBegun) ForgetPod();
  if (retry_) return false;
  return RemoveGroups() && RemoveMountPoints() && RemoveFiles();
}

bool PodRemoval::RemoveGroups() {
  if (groups_gone_) return true;
  const auto removed = RemoveGroupsOfPod(context_.cgroups, context_.group_end, remains_.groups,
                                         failures_ < kPatientFailures);
  if (!removed) {
    TryAgainLater("remove the control groups", removed.error());
    return false;
  }
  groups_gone_ = true;
  failures_ = 0;
  return true;
}

bool PodRemoval::RemoveMountPoints() {
  if (mount_points_ == Step::kNotBegun) {
    mount_points_ = Step::kUnderWay;
    const auto points = std::make_shared<std::vector<MountPoint>>();
    context_.disk.Do(
        [paths = context_.paths, uid = remains_.uid, points]() -> Result<void> {
          *points = ReadMountPoints(paths, uid);
          return {};
        },
        lifetime_.Guard([this, points](const Result<void>&) { ReleaseMountPoints(*points); }));
  }
  return mount_points_ == Step::kDone;
}

// A pod that is created after this has its folders made after the disk's part of the removal, so
// none of its containers can mount anything at a place that is about to go.
void PodRemoval::ReleaseMountPoints(const std::vector<MountPoint>& points) {
  MountPointRelease release = PlanRelease(points, remains_.mount_point_user);
  if (!release.handed_over.empty()) {
    context_.disk.Do(
        [paths = context_.paths, handed_over = std::move(release.handed_over)]() -> Result<void> {
          HandOver(paths, handed_over);
          return {};
        });
  }
  errand_ = std::make_unique<PathErrand>(context_.readiness, context_.disk,
                                         context_.options.path_patience);
  const auto removed = errand_->Begin(std::move(release.removals),
                                      [this](const Result<void>& done) { LeaveMountPoints(done); });
  if (removed) LeaveMountPoints(*removed);
}

void PodRemoval::LeaveMountPoints(const Result<void>& removed) {
  context_.LogFailure(fmt::format("pod {}", remains_.uid), removed);
  mount_points_ = Step::kDone;
  errand_.reset();
}

bool PodRemoval::RemoveFiles() {
  if (forgotten_ != Step::kDone) return false;
  if (files_ == Step::kNotBegun) BeginRemovalOfFiles();
  return files_ == Step::kDone;
}

// The runs go before the mark that is beside them: without it, a run that is left speaks for a pod
// whose file was lost.
void PodRemoval::BeginRemovalOfFiles() {
  const Paths& paths = context_.paths;
  RemovalOrder order{.pod = paths.Pod(remains_.uid), .trees = remains_.log_dirs};
  order.trees.push_back(paths.Containers(remains_.uid));
  order.trees.push_back(paths.Pod(remains_.uid));
  auto job = StartRemoval(context_.readiness, order, [this](const Result<void>& deleted) {
    files_ = deleted ? Step::kDone : Step::kNotBegun;
    if (!deleted) TryAgainLater("remove the files", deleted.error());
  });
  if (!job) return TryAgainLater("remove the files", job.error());
  files_ = Step::kUnderWay;
  job_ = std::move(*job);
}

void PodRemoval::TryAgainLater(std::string_view what, const Error& error) {
  if (++failures_ == kSilentFailures) {
    context_.Log(
        fmt::format("pod {}: {}: {}; it is tried again", remains_.uid, what, error.message));
  }
  retry_ = context_.readiness.After(RetryDelay(kFirstRetry, failures_), [this] { retry_.Stop(); });
}

}  // namespace jettison::process
