#include "pods/pod_removal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "pods/pod_groups.h"
#include "pods/tree_removal.h"

namespace jettison {

void RemoveLogsOfRun(const std::string& folder, int attempt) {
  const std::string log = fmt::format("{}.log", attempt);
  for (const std::string& name : kernel::NamesIn(folder).value_or(std::vector<std::string>{})) {
    if (name != log && !name.starts_with(log + ".")) continue;
    (void)::unlink(fmt::format("{}/{}", folder, name).c_str());
  }
}

Error StillBeingRemoved(const std::string& problem) {
  return {ErrorCode::kUnavailable,
          "a pod of the same UID is still being removed" + (problem.empty() ? "" : ": " + problem)};
}

std::string DoomedName(const std::string& folder, std::string_view name, Instant now) {
  return fmt::format("{}/{}{}-{}", folder, kernel::kDoomedPrefix, name,
                     now.time_since_epoch().count());
}

namespace {

constexpr Duration kFirstRetry = std::chrono::milliseconds(5);
// Killed processes take a moment to end, so a failure is only logged after this many tries, which
// take somewhat more than a second with the delays above.
constexpr int kPatientFailures = 8;

}  // namespace

void PodRemoval::Go() {
  switch (step_) {
    case Step::kRuntime: return EndInRuntime(Then(Step::kGroups));
    case Step::kGroups:
      return Then(Step::kFiles)(RemoveGroupsOfPod(dependencies_.cgroups, dependencies_.group_end,
                                                  remains_.groups, failures_ < kPatientFailures));
    case Step::kFiles: return files_.empty() ? RenameFiles() : DeleteFiles();
    case Step::kRest: return AwaitTheRest(Then(Step::kDone));
    case Step::kDone: return dependencies_.readiness.Wake();
  }
}

PodRemoval::Done PodRemoval::Then(Step next) {
  return lifetime_.Guard([this, next](const Result<void>& outcome) {
    if (!outcome) return TryAgainLater(outcome.error());
    failures_ = 0;
    step_ = next;
    Go();
  });
}

// What a runtime has of the runs goes before what it wrote of the pod. Volumes in memory are
// emptied at once, because others may need that memory.
void PodRemoval::RenameFiles() {
  std::vector<std::string> folders = remains_.log_dirs;
  folders.push_back(dependencies_.paths.Pod(remains_.uid));
  const auto names = std::make_shared<std::vector<std::string>>();
  dependencies_.disk.Do(
      [folders = std::move(folders), containers = dependencies_.paths.Containers(remains_.uid),
       names, now = dependencies_.clock.Now()]() -> Result<void> {
        for (const std::string& folder : folders) {
          const std::size_t slash = folder.rfind('/');
          std::string doomed = DoomedName(folder.substr(0, slash), folder.substr(slash + 1), now);
          const bool is_renamed = std::rename(folder.c_str(), doomed.c_str()) == 0;
          if (!is_renamed && &folder == &folders.back()) names->push_back(containers);
          names->push_back(is_renamed ? std::move(doomed) : folder);
        }
        for (const MemoryVolume& volume : MemoryVolumesOf(names->back())) {
          (void)EmptyVolume(volume);
        }
        return {};
      },
      lifetime_.Guard([this, names](const Result<void>&) {
        files_ = *names;
        DeleteFiles();
      }));
}

void PodRemoval::DeleteFiles() {
  dependencies_.disk.DoLong([trees = files_] { return RemoveTrees(trees); }, Then(Step::kRest));
}

void PodRemoval::TryAgainLater(const Error& error) {
  problem_ = error.message;
  if (++failures_ == kPatientFailures) {
    dependencies_.Log(fmt::format("pod {}: {}; it is tried again", remains_.uid, error.message));
  }
  dependencies_.readiness.Wake();
  retry_ = dependencies_.readiness.After(kernel::RetryDelay(kFirstRetry, failures_), [this] {
    retry_.Stop();
    Go();
  });
}

}  // namespace jettison
