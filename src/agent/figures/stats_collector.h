#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/figures/file_systems.h"
#include "core/model/choices.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/procfs/procfs.h"
#include "kernel/psi/pressure.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"

namespace jettison {

// Where figures are read.
struct FigureSources {
  Cgroups& node;  // "" is the node
  Cgroups& pods;  // the pods' group is below it
  const Procfs& procfs;
  bool whole_machine = true;  // `node` is the root that is visible, not a group of nodeCgroup
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;  // of node and pods together
  std::string node_fs;  // a path on the file system of the node's files
  // Names the groups of containers; null: each is named as its container.
  const ContainerRuntime* runtime = nullptr;
  std::string image_fs = {};      // a path on the file system of the images; empty: it is nodefs
  std::string container_fs = {};  // a path on that of writable layers; empty: it is nodefs
  kernel::GroupNames group_names = {};  // of the pods
  // What is kept from the pods, in bytes: less than the rest of the node's memory counts as theirs,
  // also where their group does not have that limit yet. Absent: their group's limit alone counts.
  std::optional<std::uint64_t> reserved_from_pods = std::nullopt;
  // Those on pressure decide what is read of it: without one, nothing is opened or read. The pods'
  // own is read while a threshold on I/O is met, which is when it is compared.
  std::vector<Threshold> thresholds = {};
};

// The groups of one pod.
struct GroupsOfPod {
  std::vector<std::string> pod;  // those that hold it together, mostly one
  std::vector<std::pair<std::string, std::string>> containers;  // name, group; empty: it has none
  friend bool operator==(const GroupsOfPod&, const GroupsOfPod&) = default;
};

// Reads the figures of node and pods from the kernel. Each call reads a file at most once. If a
// reading fails, its figures are absent, and the failure is logged once when it begins.
class StatsCollector : public Figures {
 public:
  StatsCollector(FigureSources sources, const Clock& clock, const Log& log);

  // Where images and writable layers are, once the runtime has told; paths as in FigureSources.
  void SetDisks(std::string image_fs, std::string container_fs) {
    sources_.image_fs = std::move(image_fs);
    sources_.container_fs = std::move(container_fs);
    disks_.TakeMounts();
  }

  // Other thresholds, as in FigureSources.
  void SetThresholds(std::vector<Threshold> thresholds) {
    sources_.thresholds = std::move(thresholds);
  }

  [[nodiscard]] NodeStats ReadNode() override;
  // Takes notice of mounts that have come or gone.
  void AfterFullPass() override { disks_.TakeMounts(); }
  void ReadPods(std::span<const PodFacts* const> pods, const DiskUse* disk,
                std::vector<PodStats>& stats) override;
  void ReadMemoryOf(std::span<const PodFacts* const> pods, std::vector<PodStats>& stats) override;
  void ReadContainersOf(const PodFacts& pod, PodStats& stats) override;
  void ForgetOthers(std::span<const PodFacts* const> pods) override;

  // The control groups that hold the pod together, mostly one.
  [[nodiscard]] const std::vector<std::string>& GroupsOf(const PodFacts& pod) {
    return AllGroupsOf(pod).pod;
  }

  // Memory that the node has, in bytes: the limit of its group, or that of the machine without huge
  // pages, whichever is less; that which is known where the other is not.
  [[nodiscard]] Result<std::uint64_t> ReadMemoryCapacity() const;

 private:
  [[nodiscard]] GroupsOfPod ComputeGroups(const PodFacts& facts) const;
  // Closes the files of groups that the pod had before: others may remove them.
  [[nodiscard]] const GroupsOfPod& AllGroupsOf(const PodFacts& facts);
  void Close(const GroupsOfPod& groups);
  // Returns the capacity, where that is known.
  std::optional<std::uint64_t> ReadWholeMemory(NodeStats& stats, Instant now);
  void AddHeldByKernel(const procfs::MachineMemory& machine, MemoryStats& stats);
  [[nodiscard]] Result<RlimitStats> ReadProcessIds();
  [[nodiscard]] std::optional<MemoryStats> ReadPodsMemory(std::optional<std::uint64_t> capacity,
                                                          Instant now);
  void ReadRest(NodeStats& stats);
  [[nodiscard]] std::optional<FsStats> ReadFs(const std::string& path, const char* what,
                                              Instant now);
  void ReadPressure(NodeStats& stats, Instant now);
  [[nodiscard]] std::optional<PressureStats> ReadPressureOf(psi::PressureResource resource,
                                                            const char* what, Instant now);
  // The most stalled of the groups counts. Absent where that is not known.
  [[nodiscard]] std::optional<std::int32_t> ReadIoStalls(const GroupsOfPod& groups);
  [[nodiscard]] PodStats MemoryOf(const PodFacts& facts, const GroupsOfPod& groups) const;
  [[nodiscard]] std::vector<ContainerStats> ContainersOf(const GroupsOfPod& groups) const;
  [[nodiscard]] PodStats AllOf(const PodFacts& facts, const DiskUse* disk);
  template <typename T>
  const T* Checked(const Result<T>& reading, std::string_view what);

  FigureSources sources_;
  std::string pods_group_;
  DiskStatsReader disks_;
  const Clock& clock_;
  const Log& log_;
  psi::PressureFiles node_pressure_;
  psi::PressureFiles pods_pressure_;
  bool root_limits_tasks_;         // it has such a file: it is not the root of the machine
  bool compares_io_ = false;       // of pods, by the node's figures of this pass
  TextIndex<GroupsOfPod> groups_;  // of pods that were read, by UID
  std::map<std::string, bool, std::less<>> failing_;  // by what is read
};

}  // namespace jettison
