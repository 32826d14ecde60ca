#include "pods/leftovers.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "pods/pod_groups.h"

namespace jettison {

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
  if (!doomed.empty()) trees_.Add(doomed);
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
  return trees_.busy() ||
         (!removals_.empty() && dependencies_.clock.Now() < since_ + kRemovalTakes);
}

void Leftovers::Advance() {
  trees_.Continue();
  std::erase_if(removals_, [](const auto& removal) { return removal.second->done(); });
}

}  // namespace jettison
