#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "ports/container_runtime.h"

namespace jettison {

// Identifies a project on one file system.
using ProjectId = std::uint32_t;

// The first id that is given to folders: where the kubelet begins, too (FirstQuota in
// pkg/volume/util/fsquota), above what people number by hand.
inline constexpr ProjectId kFirstProject = 1'048'577;

// The project that a folder hands down to what is made in it. Absent: none, or one below
// kFirstProject, which is somebody else's. kUnavailable where the file system knows no projects.
[[nodiscard]] Result<std::optional<ProjectId>> ProjectOf(const std::string& folder);

// What a project occupies on the file system that holds `path`: bytes allocated and inodes, without
// looking at a file. kUnavailable where project quota is not on.
[[nodiscard]] Result<FsUsage> ReadProjectUsage(const std::string& path, ProjectId project);

// Gives a folder a project that nothing else on its file system has; one that has a project keeps
// it. kInvalidArgument where it is not empty: what is in it would not be counted. kUnavailable
// where project quota is not on. It waits for the disk, which writes this down.
[[nodiscard]] Result<ProjectId> AssignProject(const std::string& folder);

// Gives each emptyDir of a pod its own quota project, so that the file system counts its use, if it
// supports that. Volumes in memory, and volumes that are not empty, get none and are walked. Must
// be called before any container of the pod starts. It waits for the disk.
void AssignProjects(const PodDisk& disk);

}  // namespace jettison
