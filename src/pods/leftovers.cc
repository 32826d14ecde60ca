#include "pods/leftovers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "pods/pod_groups.h"
#include "pods/tree_removal.h"

namespace jettison {
namespace {

constexpr Duration kFirstTry = std::chrono::milliseconds(100);
// They take some 3 s with the delays above.
constexpr int kCountedFailures = 5;

}  // namespace

Result<std::vector<std::string>> Leftovers::Begin() {
  since_ = dependencies_.clock.Now();
  const std::string pods = dependencies_.paths.Pods();
  const std::string logs = dependencies_.paths.Logs();
  auto names = kernel::NamesIn(pods);
  if (!names) return names;
  std::vector<std::string> doomed;
  const auto is_doomed = [](const std::string& name) {
    return name.starts_with(kernel::kDoomedPrefix);
  };
  std::erase_if(*names, [&](const std::string& name) {
    if (is_doomed(name)) doomed.push_back(fmt::format("{}/{}", pods, name));
    return is_doomed(name);
  });
  for (const std::string& name : kernel::NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (is_doomed(name)) doomed.push_back(fmt::format("{}/{}", logs, name));
  }
  if (!doomed.empty()) Delete(doomed);
  return names;
}

void Leftovers::Remove(const std::string& uid) {
  dependencies_.Log(fmt::format("pod {}: what an earlier agent left of it is removed", uid));
  const auto logs = kernel::LogFoldersOf(dependencies_.paths, uid);
  Remove({.uid = uid,
          .groups = PossibleGroupsOf(uid, dependencies_.cgroup_driver),
          .log_dirs = logs.value_or(std::vector<std::string>{})});
}

void Leftovers::Remove(PodRemains remains) {
  const std::string uid = remains.uid;
  auto& removal = removals_[uid];
  removal = make_removal_(std::move(remains));
  removal->Start();
}

const PodRemoval* Leftovers::Find(const std::string& uid) const {
  const auto it = removals_.find(uid);
  return it == removals_.end() ? nullptr : it->second.get();
}

bool Leftovers::IsDeleting() const {
  return !under_way_.empty() || (!waiting_.empty() && failures_ <= kCountedFailures) ||
         (!removals_.empty() && dependencies_.clock.Now() < since_ + kRemovalTakes);
}

void Leftovers::Delete(const std::vector<std::string>& trees) {
  waiting_.insert(waiting_.end(), trees.begin(), trees.end());
  again_.Stop();
  failures_ = std::min(failures_, 1);
  dependencies_.readiness.Wake();
}

void Leftovers::DeleteNext() {
  if (!under_way_.empty() || again_ || waiting_.empty()) return;
  under_way_ = std::exchange(waiting_, {});
  dependencies_.disk.DoLong(
      [trees = under_way_] { return RemoveTrees(trees); },
      lifetime_.Guard([this](const Result<void>& outcome) { OnDeleted(outcome); }));
}

void Leftovers::OnDeleted(const Result<void>& outcome) {
  const std::vector<std::string> trees = std::exchange(under_way_, {});
  dependencies_.readiness.Wake();
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

void Leftovers::Advance() {
  DeleteNext();
  std::erase_if(removals_, [](const auto& removal) { return removal.second->done(); });
}

}  // namespace jettison
