#include "agent/pods/remains.h"

#include <string>
#include <string_view>
#include <utility>

namespace jettison {
namespace {

// Only logs below the agent's root, which is locked, are its own; elsewhere a kubelet may have
// logs.
std::unique_ptr<PodLogsCollector> PodLogsOf(const AgentConfig& config,
                                            std::shared_ptr<DiskThread> disk, const Log& log) {
  const std::string& folder = config.logs.directory;
  const std::string below = config.root == "/" ? "/" : config.root + "/";
  if (!folder.starts_with(below)) return nullptr;
  return std::make_unique<PodLogsCollector>(
      PodLogsPlaces{.folder = folder, .pods = config.root + "/pods"}, std::move(disk), log);
}

}  // namespace

Remains::Remains(const AgentConfig& config, Cgroups& groups, const PodTable& pods,
                 std::shared_ptr<DiskThread> disk, const Log& log)
    : pods_(pods),
      groups_(groups, config.cgroup_driver, log),
      owns_groups_(config.source == SourceKind::kManifests),
      logs_(PodLogsOf(config, std::move(disk), log)) {}

void Remains::CollectLogs() {
  if (logs_) logs_->Collect(pods_.StandingForGc());
}

std::optional<std::size_t> Remains::pods_losing_logs() const {
  return logs_ ? logs_->removed() : 0;
}

void Remains::SweepGroups() {
  if (!owns_groups_) return;
  groups_.Sweep([this](std::string_view uid) { return pods_.IsOnNode(uid); }, pods_.AnyForeign());
}

}  // namespace jettison
