#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/choices.h"
#include "core/model/pod.h"
#include "ports/cgroups.h"

namespace jettison::kernel {

// How the groups of pods are named. A slice of systemd is named by its whole path: below the root
// "/a/b", the group of all pods is a-b-kubepods.slice.
struct GroupNames {
  // Not explicit: a driver alone names the groups below no root.
  GroupNames(CgroupDriver of_driver = CgroupDriver::kCgroupfs, std::string begin = "")
      : driver(of_driver), slices_begin(std::move(begin)) {}

  CgroupDriver driver;
  std::string slices_begin;  // with the driver systemd: "" or "a-b-"
};

// The slice that the kubelet means by a `cgroupRoot` such as "/a/b-c", from the root of a
// hierarchy:
// "/a.slice/a-b_c.slice". A dash in a component would mean another slice, so "_" stands for it.
// Source: pkg/kubelet/cm/cgroup_manager_linux.go, CgroupName.ToSystemd; systemd.slice(5).
[[nodiscard]] std::string SliceOf(std::string_view root);
// What the names of slices below it begin with: "a-b_c-".
[[nodiscard]] std::string SlicesBelow(std::string_view root);

// Whether a group of this name is a pod's: "pod<uid>", or "kubepods-pod<uid>.slice".
[[nodiscard]] bool IsPodName(std::string_view name);
// The path of the pod's group that a group is, or lies in; the whole path if there is none.
[[nodiscard]] std::string_view PodPart(std::string_view path);

// The groups of pods and containers as the kubelet lays them out, relative to the node's own group.
// With the driver cgroupfs: kubepods/pod<uid>/<container> for guaranteed pods,
// kubepods/burstable/... and kubepods/besteffort/... for the others. With the driver systemd the
// same groups are slices, whose names hold those above them, with "_" for "-" in the UID:
// kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod<uid>.slice/<container>.scope.
// Below a root of its own, a kubelet puts the root's name first in each: a-kubepods.slice/...
// Source: pkg/kubelet/cm/cgroup_manager_linux.go, CgroupName.ToSystemd and ToCgroupfs.
inline constexpr std::string_view kPodsGroup = "kubepods";

// The group that holds every pod.
[[nodiscard]] std::string PodsGroup(const GroupNames& names);
// The group that holds the pods of a class.
[[nodiscard]] std::string QosGroup(QosClass qos, const GroupNames& names = {});
[[nodiscard]] std::string PodGroup(QosClass qos, std::string_view uid,
                                   const GroupNames& names = {});
// What a container's group is called where the agent makes it.
[[nodiscard]] std::string ContainerGroupName(std::string_view container, CgroupDriver driver);
[[nodiscard]] std::string ContainerGroup(std::string_view pod_group, std::string_view container);
// The name of a group, without those above it: what systemd calls its unit.
[[nodiscard]] std::string UnitName(std::string_view group);
// What a container runtime is told to make a pod's groups in: the path below `prefix`, or, since
// systemd knows where a slice belongs, its name alone.
[[nodiscard]] std::string CgroupParent(std::string_view prefix, std::string_view pod_group,
                                       CgroupDriver driver);

// The v1 scale: 1024 a CPU. Never below 2 or above 262144, as the kernel wants it.
// Source: pkg/kubelet/cm/helpers_linux.go, MilliCPUToShares.
[[nodiscard]] std::uint64_t CpuShares(std::int64_t milli_cpu);
// The cpu.weight of cgroup v2, 1 to 10000, that belongs to CPU shares: 1024 shares, one CPU, are
// the default weight of 100, and the ends meet. Source: opencontainers/cgroups,
// ConvertCPUSharesToCgroupV2Value, as runc has it since 1.3.2, crun since 1.23 and the kubelet with
// them; before that, one CPU was a weight of 39.
[[nodiscard]] std::uint64_t CpuWeight(std::uint64_t shares);
// Microseconds of CPU in a period of so many; at least 1 ms. (MilliCPUToQuota)
[[nodiscard]] std::int64_t CpuQuotaUs(std::int64_t milli_cpu, std::uint64_t period_us);

// How CPU limits are enforced (cpuCFSQuota, cpuCFSQuotaPeriod); absent: they are not.
struct CpuQuota {
  std::uint64_t period_us = 100'000;
};

// What is configured of the limits of all pods.
struct LimitSettings {
  std::optional<CpuQuota> cpu_quota = CpuQuota{};
  // Processes that each pod may have (podPidsLimit); absent: no limit.
  std::optional<std::int64_t> pod_pids_limit = std::nullopt;
};

// What a pod as a whole asks for and may use; absent where nothing limits it.
struct PodAmounts {
  Quantity cpu_request = {};
  std::optional<Quantity> cpu_limit = std::nullopt;
  std::optional<Quantity> memory_limit = std::nullopt;
};

// Limits of the pod's group: CPU shares from the request; memory limit and CPU quota where every
// container has one or the pod itself does; the limit of processes that was configured.
// Source: pkg/kubelet/cm/helpers_linux.go, ResourceConfigForPod.
[[nodiscard]] CgroupLimits PodLimits(const Pod& pod, const PodAmounts& amounts,
                                     const LimitSettings& settings);

// Limits of one container's group: CPU shares from its request, or its limit where it has no
// request; memory limit and CPU quota from its limits.
[[nodiscard]] CgroupLimits ContainerLimits(const Container& container,
                                           const LimitSettings& settings);

}  // namespace jettison::kernel
