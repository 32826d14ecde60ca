#pragma once

#include <string_view>
#include <vector>

#include "core/model/pod.h"

namespace jettison::kernel {

// Every container of the pod, init containers first.
[[nodiscard]] inline std::vector<const Container*> ContainersOf(const Pod& pod) {
  std::vector<const Container*> containers;
  containers.reserve(pod.init_containers.size() + pod.containers.size());
  for (const Container& container : pod.init_containers) containers.push_back(&container);
  for (const Container& container : pod.containers) containers.push_back(&container);
  return containers;
}

// The container of that name, or null.
[[nodiscard]] inline const Container* FindContainer(const Pod& pod, std::string_view name) {
  for (const Container* container : ContainersOf(pod)) {
    if (container->name == name) return container;
  }
  return nullptr;
}

}  // namespace jettison::kernel
