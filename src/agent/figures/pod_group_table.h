#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pods/pod_facts.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/cgroups.h"
#include "ports/container_runtime.h"

namespace jettison {

// The groups of one pod.
struct GroupsOfPod {
  QosClass qos = QosClass::kBestEffort;
  std::vector<std::string> foreign;  // what the runtime told of a foreign pod
  std::vector<std::string> pod;      // those that hold it together, mostly one
  std::vector<std::pair<std::string, std::string>> containers;  // name, group
  friend bool operator==(const GroupsOfPod&, const GroupsOfPod&) = default;
};

// Which groups each pod has. Of groups that a pod no longer has, nothing is kept open: those of
// foreign pods, and of containers that have been started again, are removed by others.
class PodGroupTable {
 public:
  // `runtime` as in FigureSources. Both must outlive this.
  PodGroupTable(Cgroups& groups, const ContainerRuntime* runtime, kernel::GroupNames names)
      : cgroups_(groups), runtime_(runtime), names_(std::move(names)) {}

  [[nodiscard]] GroupsOfPod& Of(const PodFacts& facts);
  // Forgets all other pods, once they are many.
  void ForgetOthers(std::span<const PodFacts* const> pods);

 private:
  [[nodiscard]] GroupsOfPod Compute(const PodFacts& facts) const;
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const PodFacts& facts) const;
  // The group of a container, below its pod's group; empty: it has no group now.
  [[nodiscard]] std::string_view GroupNameOf(const PodFacts& facts,
                                             const std::string& container) const;
  [[nodiscard]] std::string GroupOf(const GroupsOfPod& groups, const PodFacts& facts,
                                    const std::string& container) const;
  void Close(const GroupsOfPod& groups);

  Cgroups& cgroups_;
  const ContainerRuntime* runtime_;
  kernel::GroupNames names_;
  TextIndex<GroupsOfPod> pods_;  // by UID
};

}  // namespace jettison
