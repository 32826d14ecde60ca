#include "agent/pods/remains.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"

namespace jettison {
namespace {

// Only logs below the agent's root, which is locked, are its own; elsewhere a kubelet may have
// logs.
std::optional<PodLogsPlaces> PodLogsOf(const AgentConfig& config) {
  const std::string& folder = config.logs.directory;
  const std::string below = config.root == "/" ? "/" : config.root + "/";
  if (!folder.starts_with(below)) return std::nullopt;
  return PodLogsPlaces{.folder = folder, .pods = config.root + "/pods"};
}

}  // namespace

void RemoveLogsOfGonePods(const PodLogsPlaces& places, const PodsForGc& pods) {
  const auto names = kernel::NamesIn(places.folder).value_or(std::vector<std::string>{});
  for (const std::string& name : PodLogsToRemove(names, pods)) {
    const std::string path = places.folder + "/" + name;
    // The pod's record cannot be read at the moment, or the pod is being made or removed.
    if (kernel::Exists(places.pods + "/" + name.substr(name.rfind('_') + 1))) continue;
    std::error_code ignored;
    if (kernel::IsLogFolder(path)) std::filesystem::remove_all(path, ignored);
  }
}

Remains::Remains(const AgentConfig& config, const PodTable& pods, std::shared_ptr<DiskThread> disk)
    : pods_(pods), logs_(PodLogsOf(config)), disk_(std::move(disk)) {}

void Remains::CollectLogs() {
  if (!logs_ || collecting_->exchange(true)) return;
  const DiskThread::Work collect = [places = *logs_, pods = pods_.StandingForGc(),
                                    collecting = collecting_] {
    RemoveLogsOfGonePods(places, pods);
    *collecting = false;
  };
  if (!disk_->Do(collect)) *collecting_ = false;  // never on the loop; it is tried again
}

}  // namespace jettison
