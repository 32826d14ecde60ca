#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/pods/pod_facts.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "machine/cgroups/host_cgroups.h"

namespace jettison {

inline constexpr const char* kBenchNode = "jettison-reading-bench";

// As many descriptors as the unit of systemd gives the agent, or as may be had.
inline void RaiseDescriptorLimit() {
  constexpr rlim_t kOfTheUnit = 65536;
  rlimit limit = {.rlim_cur = kOfTheUnit, .rlim_max = kOfTheUnit};
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// A node with so many best-effort pods of one container, whose groups are empty.
class PodGroups {
 public:
  explicit PodGroups(std::size_t count) {
    RaiseDescriptorLimit();
    const auto root = OpenHostCgroups({});
    if (!root || !(*root)->Create(kBenchNode, {.memory_bytes = std::uint64_t{1} << 30})) return;
    auto opened = OpenHostCgroups({.node_cgroup = kBenchNode});
    if (!opened) return;
    groups = std::move(*opened);
    for (std::size_t i = 0; i < count; ++i) {
      Pod pod;
      pod.name = pod.uid = fmt::format("{:08}-0000-0000-0000-000000000000", i);
      pod.containers.emplace_back().name = "c";
      const std::string group = kernel::PodGroup(QosClass::kBestEffort, pod.uid);
      if (!groups->Create(kernel::ContainerGroup(group, "c"), {})) return;
      pods.push_back(FactsOf(std::move(pod), Profile::kStandalone));
    }
    for (const PodFacts& facts : pods) pointers.push_back(&facts);
    complete = true;
  }
  ~PodGroups() {
    if (groups) (void)groups->Remove(std::string(kernel::kPodsGroup));
    groups.reset();
    if (const auto root = OpenHostCgroups({})) (void)(*root)->Remove(kBenchNode);
  }
  PodGroups(const PodGroups&) = delete;
  PodGroups& operator=(const PodGroups&) = delete;

  bool complete = false;
  std::unique_ptr<Cgroups> groups;
  std::vector<PodFacts> pods;
  std::vector<const PodFacts*> pointers;
};

}  // namespace jettison
