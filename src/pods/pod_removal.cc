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
#include "pods/removal_job.h"

namespace jettison {
namespace {

constexpr Duration kFirstTry = std::chrono::milliseconds(100);
// They take some 3 s with the delays above.
constexpr int kCountedFailures = 5;

}  // namespace

void TreeRemovals::Add(const std::vector<std::string>& trees) {
  waiting_.insert(waiting_.end(), trees.begin(), trees.end());
  dependencies_.readiness.Wake();
}

bool TreeRemovals::busy() const {
  return job_ != nullptr || (!waiting_.empty() && failures_ <= kCountedFailures);
}

void TreeRemovals::Continue() {
  if (job_ || again_ || waiting_.empty()) return;
  auto job = StartRemoval(dependencies_.readiness, {.pod = "", .trees = waiting_},
                          [this](const Result<void>& outcome) { OnEnded(outcome); });
  if (!job) return OnEnded(Fail(job.error()));
  job_ = std::move(*job);
  under_way_ = std::exchange(waiting_, {});
}

void TreeRemovals::OnEnded(const Result<void>& outcome) {
  job_.reset();
  const std::vector<std::string> trees = std::exchange(under_way_, {});
  if (outcome) {
    failures_ = 0;
    return;
  }
  if (failures_ == 0) {
    dependencies_.Log(
        outcome.error().In("delete what nobody needs any more; it is tried again").message);
  }
  waiting_.insert(waiting_.end(), trees.begin(), trees.end());
  again_ = dependencies_.readiness.After(kernel::RetryDelay(kFirstTry, failures_++), [this] {
    again_.Stop();
    dependencies_.readiness.Wake();
  });
}

void RemoveLogsOfRun(const std::string& folder, int attempt) {
  const std::string log = fmt::format("{}.log", attempt);
  for (const std::string& name : kernel::NamesIn(folder).value_or(std::vector<std::string>{})) {
    if (name != log && !name.starts_with(log + ".")) continue;
    (void)::unlink(fmt::format("{}/{}", folder, name).c_str());
  }
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
    case Step::kFiles: return files_.trees.empty() ? RenameFiles() : DeleteFiles();
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

void PodRemoval::RenameFiles() {
  std::vector<std::string> folders = {dependencies_.paths.Pod(remains_.uid)};
  folders.insert(folders.end(), remains_.log_dirs.begin(), remains_.log_dirs.end());
  const auto names = std::make_shared<std::vector<std::string>>();
  dependencies_.disk.Do(
      [folders = std::move(folders), names, now = dependencies_.clock.Now()]() -> Result<void> {
        for (const std::string& folder : folders) {
          const std::size_t slash = folder.rfind('/');
          std::string doomed = DoomedName(folder.substr(0, slash), folder.substr(slash + 1), now);
          const bool is_renamed = std::rename(folder.c_str(), doomed.c_str()) == 0;
          names->push_back(is_renamed ? std::move(doomed) : folder);
        }
        return {};
      },
      lifetime_.Guard([this, names](const Result<void>&) {
        files_ = {.pod = names->front(), .trees = *names};
        DeleteFiles();
      }));
}

void PodRemoval::DeleteFiles() {
  auto job = StartRemoval(dependencies_.readiness, files_, Then(Step::kRest));
  if (!job) return TryAgainLater(job.error());
  job_ = std::move(*job);
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
