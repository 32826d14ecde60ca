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
  std::vector<std::string> pod;  // those that hold it together, mostly one
  std::vector<std::pair<std::string, std::string>> containers;  // name, group; empty: it has none
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
  void Close(const GroupsOfPod& groups);

  Cgroups& cgroups_;
  const ContainerRuntime* runtime_;
  kernel::GroupNames names_;
  TextIndex<GroupsOfPod> pods_;  // by UID
};

}  // namespace jettison
