#include "runtimes/process/leftover.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "runtimes/process/pod_removal.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/found_runs.h"
#include "runtimes/process/runs/process_identity.h"

namespace jettison::process {

using namespace kernel;
namespace {

constexpr Duration kLeftoverTimeout = std::chrono::seconds(30);

}  // namespace

void RemoveLeftover(RuntimeContext& context, const std::string& uid, MountPointUser user) {
  PodRemains remains{.uid = uid, .groups = {}, .log_dirs = {}, .mount_point_user = std::move(user)};
  std::vector<std::string> strange;
  const auto runs =
      ReadRuns(context.paths, uid, context.boot_id, strange).value_or(std::vector<FoundRun>{});
  for (const FoundRun& run : runs) {
    if (run.shim && run.state == RunState::kNeverRan) {
      (void)EndProcess(run.shim, kShimEndTimeoutMs);
    }
  }
  remains.groups = PossibleGroupsOf(uid, context.options.cgroup_driver);
  for (const std::string& group : remains.groups) {
    context.LogFailure("end pod " + uid, context.group_end.Kill(group));
  }
  // A shim whose container was killed reaps it and ends by itself.
  for (const FoundRun& run : runs) {
    if (run.shim && !AwaitEnd(run.shim, kShimEndTimeoutMs)) {
      (void)EndProcess(run.shim, kShimEndTimeoutMs);
    }
  }
  const std::string logs = context.paths.Logs();
  for (const std::string& name : NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (IsLogsOf(name, uid)) remains.log_dirs.push_back(fmt::format("{}/{}", logs, name));
  }
  if (!PodRemoval(context, std::move(remains)).Finish(kLeftoverTimeout)) {
    context.Log(fmt::format("pod {}: what an earlier agent left of it cannot be removed", uid));
  }
}

}  // namespace jettison::process
