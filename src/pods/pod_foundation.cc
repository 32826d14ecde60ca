#include "pods/pod_foundation.h"

#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "kernel/mounts/volumes.h"
#include "kernel/project_quota/project_quota.h"

namespace jettison {
namespace {

Result<void> MakeFilesOf(const kernel::Paths& paths, const Pod& pod) {
  if (auto made = kernel::MakeFolders(paths.Pod(pod.uid)); !made) return made;
  if (auto made = kernel::PrepareVolumes(paths, pod); !made) return made;
  AssignProjects(kernel::DiskOf(paths, pod));
  return kernel::MakeFolders(paths.PodLogs(pod));
}

}  // namespace

void PodFoundation::Make(Done done, std::string record) {
  done_ = std::move(done);
  record_ = std::move(record);
  MakeFiles(lifetime_.Guard([this](const Result<void>& made) {
    if (!made) return Finish(made);
    if (auto group = dependencies_.cgroups.Create(group_, plan_.limits); !group)
      return Finish(group);
    PrepareVolumes();
  }));
}

void PodFoundation::MakeAgain() {
  const auto log_failure = [&dependencies = dependencies_,
                            about = "adopt pod " + FullName(*plan_.pod)](const Result<void>& made) {
    dependencies.LogFailure(about, made);
  };
  done_ = log_failure;
  log_failure(dependencies_.cgroups.Create(group_, plan_.limits));
  MakeFiles(log_failure);
  PrepareVolumes();
}

void PodFoundation::MakeFiles(kernel::DiskWork::Done done) {
  dependencies_.disk.Do(
      [paths = dependencies_.paths, pod = plan_.pod] { return MakeFilesOf(paths, *pod); },
      std::move(done));
}

void PodFoundation::PrepareVolumes() {
  errand_ = std::make_unique<kernel::PathErrand>(dependencies_.readiness, dependencies_.disk,
                                                 dependencies_.path_patience);
  const auto outcome = errand_->Begin(kernel::VolumeSteps(dependencies_.paths, *plan_.pod),
                                      [this](const Result<void>& later) { Finish(later); });
  if (outcome) Finish(*outcome);
}

void PodFoundation::Finish(const Result<void>& made) {
  if (made && !record_.empty()) {
    return dependencies_.disk.Do(
        [file = dependencies_.paths.PodFile(plan_.pod->uid), text = std::exchange(record_, {})] {
          return kernel::WriteFile(file, text);
        },
        lifetime_.Guard([this](const Result<void>& written) { Finish(written); }));
  }
  const Result<void> outcome = made;
  const Done done = done_;
  done(outcome);
}

}  // namespace jettison
