#include "kernel/mounts/mount_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/parts.h"

namespace jettison::kernel {

namespace {

Error Refusal(const Container& container, const VolumeMount& mount, std::string_view why) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("container {} mounts volume {} at \"{}\": {}", container.name, mount.name,
                      mount.mount_path, why)};
}

// The components of a path without empty ones and "."; fails on "..".
Result<std::string> Normalised(std::string_view path, std::string_view separator) {
  std::string normal;
  while (!path.empty()) {
    const std::string_view part = TakePart(path, '/');
    if (part.empty() || part == ".") continue;
    if (part == "..") return Fail(ErrorCode::kInvalidArgument, "\"..\" is not allowed in a path");
    normal += normal.empty() ? separator : "/";
    normal += part;
  }
  if (normal.find_first_of(std::string_view("\0\n", 2)) != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument, "a line feed or a NUL is not allowed in a path");
  }
  return normal;
}

Result<PlannedMount> PlanMount(const Paths& paths, const Pod& pod, const Container& container,
                               const VolumeMount& mount) {
  const auto volume = std::find_if(pod.volumes.begin(), pod.volumes.end(),
                                   [&](const Volume& v) { return v.name == mount.name; });
  if (volume == pod.volumes.end()) {
    return Fail(Refusal(container, mount, "spec.volumes has no volume of that name"));
  }
  if (!mount.mount_path.starts_with('/')) {
    return Fail(Refusal(container, mount, "mountPath must be absolute"));
  }
  auto target = Normalised(mount.mount_path, "/");
  if (!target) return Fail(Refusal(container, mount, target.error().message));
  if (target->empty()) {
    return Fail(Refusal(container, mount, "nothing can be mounted over the root"));
  }
  if (mount.sub_path.starts_with('/')) {
    return Fail(Refusal(container, mount, "subPath must be relative"));
  }
  auto sub_path = Normalised(mount.sub_path, "");
  if (!sub_path) return Fail(Refusal(container, mount, "subPath: " + sub_path.error().message));
  const bool kept_by_operator = std::holds_alternative<ConfigMapSource>(volume->source) ||
                                std::holds_alternative<SecretSource>(volume->source);
  return PlannedMount{.source = SourceOf(paths, pod, *volume),
                      .sub_path = std::move(*sub_path),
                      .target = std::move(*target),
                      .read_only = mount.read_only || kept_by_operator,
                      .kept_by_operator = kept_by_operator};
}

}  // namespace

std::string SourceOf(const Paths& paths, const Pod& pod, const Volume& volume) {
  const auto* const host = std::get_if<HostPathSource>(&volume.source);
  return host != nullptr ? host->path : paths.Volume(pod.uid, volume.name);
}

Result<std::vector<PlannedMount>> PlanMounts(const Paths& paths, const Pod& pod,
                                             const Container& container) {
  std::vector<PlannedMount> plan;
  for (const VolumeMount& mount : container.volume_mounts) {
    auto planned = PlanMount(paths, pod, container, mount);
    if (!planned) return Fail(planned.error());
    const auto twice = std::find_if(plan.begin(), plan.end(), [&](const PlannedMount& other) {
      return other.target == planned->target;
    });
    if (twice != plan.end()) {
      return Fail(Refusal(container, mount, "another volume is mounted there already"));
    }
    plan.push_back(std::move(*planned));
  }
  // By path: what is mounted within another volume comes after it.
  std::sort(plan.begin(), plan.end(),
            [](const PlannedMount& a, const PlannedMount& b) { return a.target < b.target; });
  return plan;
}

}  // namespace jettison::kernel
