#include "agent/pods/pod_logs_collector.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"

namespace jettison {
namespace {

// No folder of a pod has a name that begins like this.
constexpr std::string_view kDoomed = ".gone-";

}  // namespace

bool PodLogsCollector::Doom(const std::string& name) const {
  const std::string path = folder_ + "/" + name;
  const std::string doomed = folder_ + "/" + std::string(kDoomed) + name;
  if (std::rename(path.c_str(), doomed.c_str()) == 0) return true;
  // The renamed folder of an earlier removal may still be there; this one is removed the next time.
  if (errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST) {
    log_.Warn("container garbage collector: logs of a pod that is gone cannot be removed",
              {{"path", path}, {"err", std::generic_category().message(errno)}});
  }
  return false;
}

std::size_t PodLogsCollector::Collect(const PodsForGc& pods) {
  std::vector<std::string> names;
  std::vector<std::string> doomed;
  for (std::string& name : kernel::NamesIn(folder_).value_or(std::vector<std::string>{})) {
    if (name.starts_with(kDoomed)) {
      doomed.push_back(folder_ + "/" + name);
    } else {
      names.push_back(std::move(name));
    }
  }
  std::size_t removed = 0;
  for (const std::string& name : PodLogsToRemove(names, pods)) {
    // The pod's record cannot be read at the moment, or the pod is being removed.
    if (kernel::Exists(pods_ + "/" + name.substr(name.rfind('_') + 1))) continue;
    if (!kernel::IsLogFolder(folder_ + "/" + name)) {
      if (left_.insert(name).second) {
        log_.Info("container garbage collector: a folder that is no pod's logs stays",
                  {{"path", folder_ + "/" + name}});
      }
      continue;
    }
    if (!Doom(name)) continue;
    ++removed;
    doomed.push_back(folder_ + "/" + std::string(kDoomed) + name);
    log_.Info("container garbage collector: removed logs of a pod that is gone", {{"name", name}});
  }
  if (doomed.empty()) return 0;
  thread_.Do([doomed = std::move(doomed)] {
    std::error_code ignored;  // what is left is found the next time
    for (const std::string& path : doomed) std::filesystem::remove_all(path, ignored);
  });
  return removed;
}

}  // namespace jettison
