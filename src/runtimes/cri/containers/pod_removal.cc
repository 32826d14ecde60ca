#include "runtimes/cri/containers/pod_removal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/readiness/readiness.h"
#include "pods/pod_groups.h"
#include "pods/pod_removal.h"
#include "ports/container_runtime.h"

namespace jettison::cri {

void PodRemoval::KillGroups() {
  for (const std::string& group : remains().groups) {
    const auto living = context_.cgroups.Processes(group);
    if (!living || living->empty()) continue;
    context_.LogFailure("end pod " + remains().uid, context_.group_end.Kill(group));
  }
}

// The processes are killed first, so that what they hold becomes free even if the runtime does not
// answer.
void PodRemoval::EndInRuntime(Done done) {
  KillGroups();
  clearance_ = std::make_unique<SandboxClearance>(
      context_, remains().uid, [this, done](const Result<std::uint32_t>& cleared) {
        if (!cleared) return done(Fail(cleared.error()));
        StopSlices(done);
      });
  clearance_->Start();
}

// Stops the slices one after the other. If systemd does not remove a group, it is removed like any
// other.
void PodRemoval::StopSlices(const Done& done) {
  const auto& groups = remains().groups;
  if (context_.slices == nullptr || stopped_slices_ == groups.size()) return done({});
  context_.slices->Stop(kernel::UnitName(groups[stopped_slices_++]),
                        lifetime().Guard([this, done](const Result<void>& stopped) {
                          context_.LogFailure("pod " + remains().uid, stopped);
                          StopSlices(done);
                        }));
}

// After they are renamed, the folders belong to no pod, even if the deletion fails or goes on
// beside another agent. What cannot be renamed is deleted under its own name.
void PodRemoval::CollectFiles(std::function<void(RemovalOrder)> done) {
  struct Renaming {
    std::string from;
    std::string to;
    bool done = false;
  };
  const auto renamings = std::make_shared<std::vector<Renaming>>();
  const auto plan = [&](const std::string& folder) {
    const std::size_t slash = folder.rfind('/');
    renamings->push_back({.from = folder,
                          .to = DoomedName(folder.substr(0, slash), folder.substr(slash + 1),
                                           context_.clock.Now())});
  };
  plan(context_.paths.Pod(remains().uid));
  for (const std::string& folder : remains().log_dirs) plan(folder);
  context_.disk.Do(
      [renamings]() -> Result<void> {
        for (Renaming& renaming : *renamings) {
          renaming.done = std::rename(renaming.from.c_str(), renaming.to.c_str()) == 0;
        }
        return {};
      },
      lifetime().Guard([this, renamings, done = std::move(done)](const Result<void>&) {
        const Renaming& pod = renamings->front();
        RemovalOrder order{.pod = pod.done ? pod.to : pod.from, .trees = {}};
        for (const Renaming& renaming : *renamings) {
          if (renaming.done) {
            doomed_.push_back(renaming.to);
            std::erase(remains().log_dirs, renaming.from);
          } else {
            order.trees.push_back(renaming.from);
          }
        }
        order.trees.insert(order.trees.begin(), doomed_.begin(), doomed_.end());
        done(std::move(order));
      }));
}

void PodRemoval::AwaitTheRest(Done done) {
  constexpr Duration kLookEvery = std::chrono::milliseconds(25);
  constexpr int kLooks = 400;  // 10 s together
  std::erase_if(layers_, [](const std::string& layer) { return !kernel::Exists(layer); });
  if (!layers_.empty() && layer_looks_++ < kLooks) {
    on_look_ = context_.readiness.After(kLookEvery, [this, done = std::move(done)] {
      on_look_.Stop();
      AwaitTheRest(done);
    });
    return;
  }
  if (!layers_.empty()) {
    context_.Log(fmt::format("pod {}: the runtime has not deleted {} yet; it is gone otherwise",
                             remains().uid, layers_.front()));
  }
  done({});
}

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
