#include "runtimes/cri/leftovers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iterator>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/readiness/readiness.h"
#include "pods/pod_groups.h"
#include "ports/container_runtime.h"

namespace jettison::cri {
std::vector<std::string> Leftovers::Begin() {
  std::vector<std::string> doomed;
  std::vector<std::string> others;
  const std::string pods = context_.paths.Pods();
  for (const std::string& name : kernel::NamesIn(pods).value_or(std::vector<std::string>{})) {
    if (name.starts_with(kernel::kDoomedPrefix)) {
      doomed.push_back(fmt::format("{}/{}", pods, name));
    } else {
      others.push_back(name);
    }
  }
  const std::string logs = context_.paths.Logs();
  for (const std::string& name : kernel::NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (name.starts_with(kernel::kDoomedPrefix)) doomed.push_back(fmt::format("{}/{}", logs, name));
  }
  since_ = context_.clock.Now();
  if (!doomed.empty()) trees_.Add(std::move(doomed));
  return others;
}

bool Leftovers::IsDeleting() const {
  if (!trees_.busy() && removals_.empty()) return false;
  return context_.clock.Now() < since_ + kRemovalTakes;
}

void Leftovers::Remove(const std::string& uid) {
  Remove({.uid = uid,
          .groups = PossibleGroupsOf(uid, context_.options.cgroup_driver),
          .log_dirs = kernel::LogFoldersOf(context_.paths, uid)});
}

void Leftovers::Remove(PodRemains remains) {
  const std::string uid = remains.uid;
  context_.disk.Do([file = RecordFile(context_, uid)]() -> Result<void> {
    (void)::unlink(file.c_str());
    return {};
  });
  auto& removal = removals_[uid];
  removal = std::make_unique<PodRemoval>(context_, std::move(remains));
  removal->Start();
}

const PodRemoval* Leftovers::Find(const std::string& uid) const {
  const auto it = removals_.find(uid);
  return it == removals_.end() ? nullptr : it->second.get();
}

void Leftovers::Advance() {
  trees_.Continue();
  std::erase_if(removals_, [](const auto& removal) { return removal.second->done(); });
}

}  // namespace jettison::cri
