#pragma once

#include <chrono>
#include <string>

#include "core/units/duration.h"
#include "pods/pod_options.h"

namespace jettison {

// What the runtime is told once.
struct CriRuntimeOptions : PodOptions {
  // The node's own group as an absolute path in the hierarchies, without a slash at its end: "" or
  // "/a/b". Groups of pods lie below it.
  std::string cgroup_prefix;
  // How long a call may take before it counts as failed (runtimeRequestTimeout); pulling an image
  // and making a sandbox may take longer.
  Duration request_timeout = std::chrono::minutes(2);
  // How often everything is listed and compared with what is known.
  Duration relist_period = std::chrono::seconds(10);
};

// The same with paths as they are compared: without a slash at their end.
[[nodiscard]] inline CriRuntimeOptions Tidied(CriRuntimeOptions options) {
  while (options.root.ends_with('/')) options.root.pop_back();
  while (options.cgroup_prefix.ends_with('/')) options.cgroup_prefix.pop_back();
  return options;
}

}  // namespace jettison
