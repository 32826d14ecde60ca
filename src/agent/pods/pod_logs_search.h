#pragma once

#include <string>
#include <vector>

#include "core/decide/container_gc.h"

namespace jettison {

// Where the logs of pods are.
struct PodLogsPlaces {
  std::string folder;  // has a folder for each pod, and belongs to this agent alone
  std::string pods;    // nothing is deleted of a pod that has a folder in it
};

// What is to become of log folders.
struct FoundPodLogs {
  struct Failure {
    std::string path;
    std::string err;
  };
  std::vector<std::string> doomed;   // paths under a new name, which are to be deleted
  std::vector<std::string> removed;  // names of those whose pods are gone
  std::vector<std::string> strange;  // names of those that have anything but logs, and stay
  std::vector<Failure> failures;     // to rename one
};

// Searches for log folders whose pods are gone, and renames each to a name that no pod's folder
// has. Finds also those that were renamed before.
[[nodiscard]] FoundPodLogs DoomPodLogs(const PodLogsPlaces& places, const PodsForGc& pods);

}  // namespace jettison
