#include "kernel/files/paths.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison::kernel {
namespace {

constexpr std::size_t kMaxSegment = 255;  // NAME_MAX

Result<void> CheckSegment(std::string_view what, std::string_view name) {
  if (IsPathSegment(name)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} \"{}\" cannot be the name of a folder", what, name));
}

}  // namespace

PodDisk DiskOf(const Paths& paths, const Pod& pod) {
  PodDisk disk;
  for (const Volume& volume : pod.volumes) {
    const auto* source = std::get_if<EmptyDirSource>(&volume.source);
    if (source == nullptr) continue;
    disk.empty_dirs.push_back({.name = volume.name,
                               .path = paths.Volume(pod.uid, volume.name),
                               .memory = source->medium == "Memory"});
  }
  for (const Container* container : ContainersOf(pod)) {
    disk.containers.push_back(
        {.name = container->name, .logs = paths.ContainerLogs(pod, container->name), .layer = {}});
  }
  return disk;
}

bool IsLogsOf(std::string_view name, std::string_view uid) {
  if (!name.ends_with(uid)) return false;
  name.remove_suffix(uid.size());
  return name.ends_with('_') && std::count(name.begin(), name.end(), '_') == 2;
}

bool IsPathSegment(std::string_view name) {
  return !name.empty() && name.size() <= kMaxSegment && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0\n", 3)) == std::string_view::npos;
}

Result<void> CheckNames(const Pod& pod) {
  if (auto ok = CheckSegment("pod UID", pod.uid); !ok) return ok;
  if (auto ok = CheckSegment("namespace", pod.namespace_); !ok) return ok;
  if (auto ok = CheckSegment("pod name", pod.name); !ok) return ok;
  if (auto ok = CheckSegment("pod", fmt::format("{}_{}_{}", pod.namespace_, pod.name, pod.uid));
      !ok) {
    return ok;
  }
  for (const Volume& volume : pod.volumes) {
    if (auto ok = CheckSegment("volume", volume.name); !ok) return ok;
  }
  for (const Container* container : ContainersOf(pod)) {
    if (auto ok = CheckSegment("container", container->name); !ok) return ok;
  }
  return {};
}

}  // namespace jettison::kernel
