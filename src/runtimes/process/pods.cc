#include "runtimes/process/pods.h"

#include <algorithm>
#include <utility>

#include "kernel/files/paths.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_plan.h"
#include "runtimes/process/runs/shim_order.h"

namespace jettison::process {

using namespace kernel;
namespace {

// Every mount of the pod must be possible before any of its containers runs.
Result<void> CheckMounts(const Paths& paths, const Pod& pod) {
  for (const Container* container : ContainersOf(pod)) {
    if (auto plan = PlanMounts(paths, pod, *container); !plan) return Fail(plan.error());
  }
  return {};
}

}  // namespace

bool PodEntry::AnyRuns() const {
  return std::any_of(runs.begin(), runs.end(),
                     [](const auto& run) { return !run.second->ended(); });
}

PodEntry& Pods::Enter(PodPlan plan) {
  const CgroupDriver driver = context_.options.cgroup_driver;
  const Pod& pod = *plan.pod;
  PodEntry& entry = pods_[pod.uid];
  entry.group = PodGroup(plan.qos, pod.uid, driver);
  for (const Container* container : ContainersOf(pod)) {
    entry.container_groups[container->name] = ContainerGroupName(container->name, driver);
  }
  entry.plan = std::move(plan);
  entry.foundation = std::make_unique<PodFoundation>(context_, entry.plan, entry.group);
  return entry;
}

PodEntry* Pods::Find(const std::string& uid) {
  const auto it = pods_.find(uid);
  const bool is_whole = it != pods_.end() && !it->second.removing && !it->second.making;
  return is_whole ? &it->second : nullptr;
}

ContainerRun* Pods::FindRun(const std::string& uid, const std::string& container) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return nullptr;
  const auto run = pod->second.runs.find(container);
  return run == pod->second.runs.end() || run->second->ended() ? nullptr : run->second.get();
}

Result<void> Pods::Check(const PodEntry& entry) const {
  if (auto ok = CheckRights(*entry.plan.pod); !ok) return ok;
  return CheckMounts(context_.paths, *entry.plan.pod);
}

std::vector<RunningLog> Pods::RunningLogs() const {
  std::vector<RunningLog> logs;
  for (const auto& [uid, entry] : pods_) {
    for (const auto& [name, run] : entry.runs) {
      if (!run->running()) continue;
      logs.push_back({.pod_uid = uid,
                      .container = name,
                      .path = context_.paths.Log(*entry.plan.pod, name, run->attempt())});
    }
  }
  return logs;
}

void Pods::ReopenLog(const RunningLog& log, const std::function<void(const Result<void>&)>& done) {
  ContainerRun* const run = FindRun(log.pod_uid, log.container);
  if (run == nullptr) return done(Fail(ErrorCode::kNotFound, "its container has ended"));
  run->ReopenLog();
  done({});
}

std::string Pods::GroupOfContainer(const PodEntry& entry, const std::string& container) const {
  return ContainerGroup(entry.group, ContainerGroupName(container, context_.options.cgroup_driver));
}

}  // namespace jettison::process
