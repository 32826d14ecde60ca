#include "runtimes/cri/containers/pod_removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/readiness/retry_delay.h"
#include "pods/pod_groups.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;

constexpr Duration kFirstRetry = milliseconds(5);
// Killed processes take a moment to end, so a failure is only logged after this many tries, which
// take somewhat more than a second with the delays above.
constexpr int kPatientFailures = 8;
constexpr Duration kLayerLookEvery = milliseconds(25);
constexpr int kLayerLooks = 400;  // 10 s together

// A name beside the folder which is no pod's.
std::string DoomedName(const std::string& folder, std::int64_t now) {
  const std::size_t name = folder.rfind('/') + 1;
  return fmt::format("{}{}{}-{}", folder.substr(0, name), kDoomedPrefix, folder.substr(name), now);
}

}  // namespace

PodRemoval::PodRemoval(RuntimeContext& context, PodRemains remains)
    : context_(context), remains_(std::move(remains)) {}

void PodRemoval::KillGroups() {
  for (const std::string& group : remains_.groups) {
    const auto living = context_.cgroups.Processes(group);
    if (!living || living->empty()) continue;
    context_.LogFailure("end pod " + remains_.uid, context_.group_end.Kill(group));
  }
}

// The processes are killed first, so that what they hold becomes free even if the runtime does not
// answer.
void PodRemoval::RemoveSandboxes() {
  KillGroups();
  clearance_ = std::make_unique<SandboxClearance>(
      context_, remains_.uid, [this](const Result<std::uint32_t>& cleared) {
        if (!cleared) return TryAgainLater(&PodRemoval::RemoveSandboxes, cleared.error());
        failures_ = 0;
        StopSlices();
      });
  clearance_->Start();
}

// Stops the slices one after the other. If systemd does not remove a group, it is removed like any
// other.
void PodRemoval::StopSlices() {
  if (context_.slices == nullptr || stopped_slices_ == remains_.groups.size()) {
    return RemoveGroups();
  }
  context_.slices->Stop(kernel::UnitName(remains_.groups[stopped_slices_++]),
                        lifetime_.Guard([this](const Result<void>& stopped) {
                          context_.LogFailure("pod " + remains_.uid, stopped);
                          StopSlices();
                        }));
}

void PodRemoval::RemoveGroups() {
  const auto removed = RemoveGroupsOfPod(context_.cgroups, context_.group_end, remains_.groups,
                                         failures_ < kPatientFailures);
  if (!removed) return TryAgainLater(&PodRemoval::RemoveGroups, removed.error());
  failures_ = 0;
  RemoveFiles();
}

// After they are renamed, the folders belong to no pod, even if the deletion fails or goes on
// beside another agent. What cannot be renamed is deleted under its own name.
void PodRemoval::RemoveFiles() {
  const std::int64_t now = context_.clock.Now().time_since_epoch().count();
  const auto renamings = std::make_shared<std::vector<Renaming>>();
  const auto plan = [&](const std::string& folder) {
    renamings->push_back({.from = folder, .to = DoomedName(folder, now)});
  };
  plan(context_.paths.Pod(remains_.uid));
  std::ranges::for_each(remains_.log_dirs, plan);
  context_.disk.Do(
      [renamings]() -> Result<void> {
        for (Renaming& renaming : *renamings) {
          renaming.done = std::rename(renaming.from.c_str(), renaming.to.c_str()) == 0;
        }
        return {};
      },
      lifetime_.Guard([this, renamings](const Result<void>&) { DeleteFiles(*renamings); }));
}

// The first one is that of the pod's folder.
void PodRemoval::DeleteFiles(const std::vector<Renaming>& renamings) {
  RemovalOrder order{.pod = renamings.front().done ? renamings.front().to : renamings.front().from,
                     .trees = {}};
  for (const Renaming& renaming : renamings) {
    if (renaming.done) {
      doomed_.push_back(renaming.to);
      std::erase(remains_.log_dirs, renaming.from);
    } else {
      order.trees.push_back(renaming.from);
    }
  }
  order.trees.insert(order.trees.begin(), doomed_.begin(), doomed_.end());
  auto job = StartRemoval(context_.readiness, order, [this](const Result<void>& deleted) {
    if (!deleted) return TryAgainLater(&PodRemoval::RemoveFiles, deleted.error());
    AwaitLayers();
  });
  if (!job) return TryAgainLater(&PodRemoval::RemoveFiles, job.error());
  job_ = std::move(*job);
}

void PodRemoval::AwaitLayers() {
  std::erase_if(remains_.layers, [](const std::string& layer) { return !kernel::Exists(layer); });
  if (!remains_.layers.empty() && layer_looks_++ < kLayerLooks) {
    retry_ = context_.readiness.After(kLayerLookEvery, [this] {
      retry_.Stop();
      AwaitLayers();
    });
    return;
  }
  if (!remains_.layers.empty()) {
    context_.Log(fmt::format("pod {}: the runtime has not deleted {} yet; it is gone otherwise",
                             remains_.uid, remains_.layers.front()));
  }
  done_ = true;
  context_.readiness.Wake();
}

void PodRemoval::TryAgainLater(Step step, const Error& error) {
  problem_ = error.message;
  if (++failures_ == kPatientFailures) {
    context_.Log(fmt::format("pod {}: {}; it is tried again", remains_.uid, error.message));
  }
  context_.readiness.Wake();
  retry_ = context_.readiness.After(kernel::RetryDelay(kFirstRetry, failures_), [this, step] {
    retry_.Stop();
    (this->*step)();
  });
}

}  // namespace jettison::cri
