#include "agent/pods/pod_logs_search.h"

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"

namespace jettison {
namespace {

void Doom(const PodLogsPlaces& places, const std::string& name, FoundPodLogs& found) {
  const std::string path = places.folder + "/" + name;
  std::string doomed = places.folder + "/" + std::string(kernel::kDoomedPrefix) + name;
  if (std::rename(path.c_str(), doomed.c_str()) == 0) {
    found.doomed.push_back(std::move(doomed));
    found.removed.push_back(name);
    return;
  }
  // The renamed folder of an earlier removal may still be there; this one is removed the next time.
  if (errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST) return;
  found.failures.push_back({.path = path, .err = std::generic_category().message(errno)});
}

}  // namespace

FoundPodLogs DoomPodLogs(const PodLogsPlaces& places, const PodsForGc& pods) {
  FoundPodLogs found;
  std::vector<std::string> names;
  for (std::string& name : kernel::NamesIn(places.folder).value_or(std::vector<std::string>{})) {
    if (name.starts_with(kernel::kDoomedPrefix)) {
      found.doomed.push_back(places.folder + "/" + name);
    } else {
      names.push_back(std::move(name));
    }
  }
  for (const std::string& name : PodLogsToRemove(names, pods)) {
    // The pod's record cannot be read at the moment, or the pod is being made or removed.
    if (kernel::Exists(places.pods + "/" + name.substr(name.rfind('_') + 1))) continue;
    if (kernel::IsLogFolder(places.folder + "/" + name)) {
      Doom(places, name, found);
    } else {
      found.strange.push_back(name);
    }
  }
  return found;
}

}  // namespace jettison
