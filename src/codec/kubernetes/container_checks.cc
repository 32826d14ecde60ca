#include "codec/kubernetes/container_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "codec/kubernetes/names.h"
#include "core/model/pod_resources.h"
#include "core/pods/program_size.h"

namespace jettison::kube_json {
namespace {

constexpr std::string_view kNoNul = "must not contain a NUL character";

bool HasNul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

void CheckStrings(const Field& field, const std::vector<std::string>& strings) {
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (HasNul(strings[i])) field.Item(i).Fault(std::string(kNoNul));
  }
}

void CheckEnv(const Field& env, const Container& container) {
  for (std::size_t i = 0; i < container.env.size(); ++i) {
    const Field field = env.Item(i);
    const Field name = field.Member("name");
    const EnvVar& variable = container.env[i];
    if (variable.name.empty() && name.HoldsTextOrNothing()) name.Fault("required");
    if (HasNul(variable.name) || variable.name.find('=') != std::string::npos) {
      name.Fault("must contain neither '=' nor a NUL character");
    }
    if (HasNul(variable.value)) field.Member("value").Fault(std::string(kNoNul));
  }
}

// A relative path that stays below where it starts.
bool StaysBelow(std::string_view path) {
  if (path.starts_with('/')) return false;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") return false;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return true;
}

void CheckMount(const Field& field, const VolumeMount& mount, const Pod& pod) {
  const Field name = field.Member("name");
  const Field path = field.Member("mountPath");
  const bool named = std::any_of(pod.volumes.begin(), pod.volumes.end(),
                                 [&](const Volume& volume) { return volume.name == mount.name; });
  if (mount.name.empty() && name.HoldsTextOrNothing()) {
    name.Fault("required");
  } else if (!named && name.HoldsTextOrNothing()) {
    name.Fault("must be the name of a volume in spec.volumes");
  }
  if (!mount.mount_path.starts_with('/') && path.HoldsTextOrNothing()) {
    path.Fault("must be an absolute path");
  }
  if (HasNul(mount.mount_path)) path.Fault(std::string(kNoNul));
  if (!StaysBelow(mount.sub_path) || HasNul(mount.sub_path)) {
    field.Member("subPath").Fault("must be a relative path without '..'");
  }
}

void CheckMounts(const Field& mounts, const Container& container, const Pod& pod) {
  std::set<std::string_view> paths;
  for (std::size_t i = 0; i < container.volume_mounts.size(); ++i) {
    const VolumeMount& mount = container.volume_mounts[i];
    const Field field = mounts.Item(i);
    if (!field.IsPresent()) continue;
    CheckMount(field, mount, pod);
    if (!mount.mount_path.empty() && !paths.insert(mount.mount_path).second) {
      field.Member("mountPath")
          .Fault("another volume is mounted there; mount each volume at a path of its own");
    }
  }
}

// What the kernel would not take of a program's environment and arguments.
void CheckProgram(const Field& field, const Container& container) {
  const auto fault = ProgramFaultOf(container);
  if (!fault) return;
  const Field list = field.Member(fault->field);
  const Field item = list.Item(fault->index);
  if (fault->field != "env") return item.Fault(fault->message);
  const Field value = item.Member("value");
  value.Fault(fault->message);
}

void CheckContainer(const Field& field, const Container& container, const Pod& pod) {
  CheckLabel(field.Member("name"), container.name);
  if (HasNul(container.working_dir)) field.Member("workingDir").Fault(std::string(kNoNul));
  CheckStrings(field.Member("command"), container.command);
  CheckStrings(field.Member("args"), container.args);
  CheckEnv(field.Member("env"), container);
  CheckProgram(field, container);
  CheckMounts(field.Member("volumeMounts"), container, pod);
  CheckResources(field.Member("resources"), container.resources);
}

// What an init container may ask for beyond others: to be a sidecar.
void CheckRestartPolicy(const Field& field, const Container& container, bool init) {
  if (!container.restart_policy) return;
  const Field policy = field.Member("restartPolicy");
  if (!init) {
    policy.Fault("only an init container has one of its own; write spec.restartPolicy");
  } else if (!container.IsSidecar()) {
    policy.Fault("must be Always (a sidecar) or absent");
  }
}

}  // namespace

void CheckLabel(const Field& field, const std::string& name) {
  if (!field.HoldsTextOrNothing()) return;
  if (name.empty()) return field.Fault("required");
  if (!IsDnsLabel(name)) field.Fault(std::string(kDnsLabelRule));
}

void CheckAmounts(const Field& field, const ResourceList& list) {
  if (!field.HoldsMap()) return;
  field.ForEachEntry([&](std::string_view name, const Field& entry) {
    const Quantity* amount = FindResource(list, name);
    if (amount != nullptr && amount->Sign() < 0) entry.Fault("must not be negative");
  });
}

void CheckResources(const Field& field, const ResourceRequirements& resources) {
  if (!field.HoldsMap()) return;
  const Field requests = field.Member("requests");
  CheckAmounts(requests, resources.requests);
  CheckAmounts(field.Member("limits"), resources.limits);
  if (!requests.HoldsMap()) return;
  requests.ForEachEntry([&](std::string_view name, const Field& entry) {
    const Quantity* request = FindResource(resources.requests, name);
    const Quantity* limit = FindResource(resources.limits, name);
    if (request == nullptr || limit == nullptr || !(*request > *limit)) return;
    entry.Fault(fmt::format("must not be more than the limit, {}", limit->ToString()));
  });
}

void CheckContainers(const Field& spec, const Pod& pod) {
  std::set<std::string_view> seen;
  const auto check_all = [&](std::string_view list, const std::vector<Container>& containers,
                             bool init) {
    const Field field = spec.Member(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const Field item = field.Item(i);
      if (!item.HoldsMap()) continue;
      CheckContainer(item, containers[i], pod);
      CheckRestartPolicy(item, containers[i], init);
      if (!containers[i].name.empty() && !seen.insert(containers[i].name).second) {
        item.Member("name").Fault("another container has this name; give each its own");
      }
    }
  };
  check_all("initContainers", pod.init_containers, true);
  check_all("containers", pod.containers, false);
}

}  // namespace jettison::kube_json
