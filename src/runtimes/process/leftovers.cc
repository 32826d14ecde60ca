#include "runtimes/process/leftovers.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <utility>

#include "kernel/files/own_folders.h"
#include "kernel/readiness/pidfd.h"
#include "pods/pod_groups.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/found_runs.h"
#include "runtimes/process/runs/process_identity.h"

namespace jettison::process {

using namespace kernel;
namespace {

// How long a shim may take to end by itself, and then once it has been killed.
constexpr Duration kShimPatience = std::chrono::seconds(2);

PodRemains RemainsOf(const RuntimeContext& context, const std::string& uid, MountPointUser user) {
  return {.uid = uid,
          .groups = PossibleGroupsOf(uid, context.options.cgroup_driver),
          .log_dirs = LogFoldersOf(context.paths, uid),
          .mount_point_user = std::move(user)};
}

}  // namespace

// A shim whose container was killed reaps it and ends by itself.
Leftover::Leftover(RuntimeContext& context, const std::string& uid, MountPointUser user)
    : context_(context), removal_(context, RemainsOf(context, uid, std::move(user))) {
  std::vector<std::string> strange;
  auto runs =
      ReadRuns(context.paths, uid, context.boot_id, strange).value_or(std::vector<FoundRun>{});
  for (FoundRun& run : runs) {
    if (!run.shim) continue;
    if (run.state == RunState::kNeverRan) SendSignal(run.shim, SIGKILL);
    const int handle = run.shim.get();
    shims_.push_back(
        {.handle = std::move(run.shim), .end = context.readiness.OnReadable(handle, [] {})});
  }
  for (const std::string& group : PossibleGroupsOf(uid, context.options.cgroup_driver)) {
    context.LogFailure("end pod " + uid, context.group_end.Kill(group));
  }
  if (!shims_.empty()) SetTimer();
}

void Leftover::SetTimer() {
  timer_ = context_.readiness.After(kShimPatience, [this] {
    timer_.Stop();
    for (const Shim& shim : shims_) SendSignal(shim.handle, SIGKILL);
    if (std::exchange(patience_, Patience::kLast) == Patience::kFirst) return SetTimer();
    patience_ = Patience::kOver;
  });
}

bool Leftover::ShimsHaveEnded() {
  std::erase_if(shims_, [](const Shim& shim) { return AwaitEnd(shim.handle, 0); });
  if (!shims_.empty() && patience_ != Patience::kOver) return false;
  timer_.Stop();
  shims_.clear();
  return true;
}

bool Leftover::Continue() {
  return ShimsHaveEnded() && removal_.Continue();
}

void Leftovers::Add(const std::string& uid, const MountPointUser& user) {
  context_.Log(fmt::format("pod {}: what an earlier agent left of it is removed", uid));
  pods_.try_emplace(uid, context_, uid, user);
  context_.readiness.Wake();
}

bool Leftovers::Delays(const PodPlan& plan) {
  const auto pod = pods_.find(plan.pod->uid);
  if (pod == pods_.end()) return false;
  pod->second.next = plan;
  return true;
}

void Leftovers::Forget(const std::string& uid) {
  const auto pod = pods_.find(uid);
  if (pod != pods_.end()) pod->second.next.reset();
}

std::vector<PodPlan> Leftovers::Continue() {
  std::vector<PodPlan> plans;
  for (auto pod = pods_.begin(); pod != pods_.end();) {
    if (!pod->second.Continue()) {
      ++pod;
      continue;
    }
    if (pod->second.next) plans.push_back(*std::move(pod->second.next));
    pod = pods_.erase(pod);
  }
  return plans;
}

}  // namespace jettison::process
