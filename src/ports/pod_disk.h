#pragma once

#include <string>
#include <vector>

namespace jettison {

// Where the files of one pod are, for the measurement of its disk use.
struct PodDisk {
  struct LocalVolume {
    std::string name;
    std::string path;
    bool memory = false;  // a tmpfs: its bytes are memory, not disk
  };
  struct ContainerDisk {
    std::string name;
    std::string logs;   // folder of the logs of all runs; empty: not known
    std::string layer;  // folder of what its newest run has written; empty: it never ran
  };
  std::vector<LocalVolume> empty_dirs;
  std::vector<ContainerDisk> containers;  // init containers first
};

}  // namespace jettison
