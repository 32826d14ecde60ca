#pragma once

#include <string>

namespace jettison::cri {

// A container that containerd has and CRI does not know.
struct TaskKey {
  std::string in_namespace;  // of containerd
  std::string id;            // unique in it
};

}  // namespace jettison::cri
