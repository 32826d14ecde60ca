#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/model/cgroup_driver.h"

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

}  // namespace jettison::kernel
