#include "codec/kubernetes/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/kubernetes/pod_fields.h"
#include "core/model/pod.h"
#include "core/pods/variables.h"
#include "core/text/number.h"

namespace jettison::kube_json {
namespace {

constexpr std::int64_t kGracePeriodSeconds = 30;

void RequestWhatIsLimited(ResourceRequirements& resources) {
  for (const auto& [name, limit] : resources.limits) resources.requests.try_emplace(name, limit);
}

// A pod-level request that is not given is what the containers ask for together, and without that
// the pod-level limit. Huge pages cannot be overcommitted: their request is always the limit.
void DefaultPodLevelRequests(Pod& pod) {
  if (!HasPodLevelResources(pod)) return;
  for (std::string_view name : {std::string_view("cpu"), kMemoryResource}) {
    auto sum = SumOfContainers(pod, &ResourceRequirements::requests, name);
    if (sum) pod.resources->requests.try_emplace(std::string(name), *sum);
  }
  for (const auto& [name, limit] : pod.resources->limits) {
    if (MayStandAtPodLevel(name)) pod.resources->requests.try_emplace(name, limit);
  }
}

void DefaultContainer(Container& container) {
  RequestWhatIsLimited(container.resources);
  if (!container.image_pull_policy && !container.image.empty()) {
    container.image_pull_policy = DefaultPullPolicy(container.image);
  }
}

void DefaultSource(Volume& volume) {
  const auto* other = std::get_if<OtherVolumeSource>(&volume.source);
  if (other != nullptr && other->kind.empty()) volume.source = EmptyDirSource{};
}

bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsLowerOrDigit(char c) {
  return IsLower(c) || IsDigit(c);
}

// One label of any length.
bool IsLabelText(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

// RFC 1123 label: 1 to 63 lower-case letters, digits and '-', not at the ends.
bool IsDnsLabel(std::string_view name) {
  return name.size() <= 63 && IsLabelText(name);
}

// RFC 1123 subdomain: labels joined by '.', 253 characters at most.
bool IsDnsSubdomain(std::string_view name) {
  if (name.size() > 253) return false;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    if (!IsLabelText(name.substr(0, dot))) return false;
    name.remove_prefix(dot + 1);
  }
  return IsLabelText(name);
}

// What may be a UID, which becomes a part of paths.
bool IsUid(std::string_view uid) {
  const auto is_letter_or_digit = [](char c) { return IsLowerOrDigit(c) || IsUpper(c); };
  return !uid.empty() && uid.size() <= 128 && is_letter_or_digit(uid.front()) &&
         std::all_of(uid.begin(), uid.end(), [&](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

constexpr std::string_view kNoNul = "must not contain a NUL character";

bool HasNul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

void CheckStrings(const Field& field, const std::vector<std::string>& strings) {
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (HasNul(strings[i])) field.Item(i).Fault(std::string(kNoNul));
  }
}

constexpr std::string_view kDnsLabelRule =
    "must consist of lower-case letters, digits and '-', and begin and end with a letter or digit "
    "(at most 63 characters)";

constexpr std::string_view kDnsSubdomainRule =
    "must consist of lower-case letters, digits, '-' and '.', and begin and end with a letter or "
    "digit (at most 253 characters)";

// A required name that keeps to a rule; silent where the field's type was wrong.
void CheckName(const Field& field, const std::string& name, bool keeps_to_it,
               std::string_view rule) {
  if (!field.HoldsTextOrNothing()) return;
  if (name.empty()) return field.Fault("required");
  if (!keeps_to_it) field.Fault(std::string(rule));
}

void CheckLabel(const Field& field, const std::string& name) {
  CheckName(field, name, IsDnsLabel(name), kDnsLabelRule);
}

void CheckSubdomain(const Field& field, const std::string& name) {
  CheckName(field, name, IsDnsSubdomain(name), kDnsSubdomainRule);
}

// No amount below zero.
void CheckAmounts(const Field& field, const ResourceList& list) {
  if (!field.HoldsMap()) return;
  field.ForEachEntry([&](std::string_view name, const Field& entry) {
    const Quantity* amount = FindResource(list, name);
    if (amount != nullptr && amount->Sign() < 0) entry.Fault("must not be negative");
  });
}

// No amount below zero, no request above its limit.
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

bool HasParentStep(std::string_view path) {
  return path == ".." || path.starts_with("../") || path.ends_with("/..") ||
         path.find("/../") != std::string_view::npos;
}

// A relative path that stays below where it starts.
bool StaysBelow(std::string_view path) {
  return !path.starts_with('/') && !HasParentStep(path);
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

// Rights that would come all the same. The API server refuses the capability CAP_SYS_ADMIN here,
// too, but in this spelling only, which is not supported; SYS_ADMIN it takes.
// (pkg/apis/core/validation, ValidateSecurityContext)
void CheckSecurity(const Field& field, const SecurityContext& context) {
  if (!context.allow_privilege_escalation && context.privileged) {
    field.Member("allowPrivilegeEscalation").Fault("must not be false where privileged is true");
  }
  const Field capabilities = field.Member("capabilities");
  const auto check = [](const Field& list, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].starts_with("CAP_")) list.Item(i).Unsupported("write it without CAP_");
    }
  };
  check(capabilities.Member("add"), context.capabilities.add);
  check(capabilities.Member("drop"), context.capabilities.drop);
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
  CheckSecurity(field.Member("securityContext"), container.security_context);
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

// The containers and init containers of `spec`: names, variables, mounts and resources.
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

// k8s.io/apimachinery: TotalAnnotationSizeLimitB.
constexpr std::size_t kMostAnnotationBytes = std::size_t{256} << 10;

void CheckKind(const Field& root) {
  const Field kind = root.Member("kind");
  const Field version = root.Member("apiVersion");
  if (!kind.IsPresent()) kind.Fault("required: must be Pod");
  if (TextOf(version.value()) != "v1") version.Fault("must be v1");
}

void CheckMetadata(const Field& root, const Pod& pod) {
  const Field metadata = root.Member("metadata");
  std::size_t annotations = 0;
  for (const auto& [name, value] : pod.annotations) annotations += name.size() + value.size();
  if (annotations > kMostAnnotationBytes) {
    metadata.Member("annotations")
        .Fault(fmt::format("have {} bytes together; {} are allowed", annotations,
                           kMostAnnotationBytes));
  }
  CheckSubdomain(metadata.Member("name"), pod.name);
  if (!IsDnsLabel(pod.namespace_)) {
    metadata.Member("namespace").Fault(std::string(kDnsLabelRule));
  }
  if (!pod.uid.empty() && !IsUid(pod.uid)) {
    metadata.Member("uid").Fault(
        "must consist of letters, digits, '-', '_' and '.', beginning with a letter or digit (at "
        "most 128 characters)");
  }
}

void CheckSource(const Field& field, const EmptyDirSource& source) {
  const Field medium = field.Member("medium");
  if (!source.medium.empty() && source.medium != "Memory") {
    medium.Fault("must be empty (disk) or Memory");
  }
  if (source.size_limit && source.size_limit->Sign() < 0) {
    field.Member("sizeLimit").Fault("must not be negative");
  }
}
void CheckSource(const Field& field, const HostPathSource& source) {
  const Field path = field.Member("path");
  if (!path.HoldsTextOrNothing()) return;
  if (!source.path.starts_with('/')) return path.Fault("must be an absolute path");
  if (HasParentStep(source.path)) path.Fault("must not contain '..'");
  if (source.path.find('\0') != std::string::npos) path.Fault("must not contain a NUL character");
}
void CheckSource(const Field& field, const ConfigMapSource& source) {
  CheckSubdomain(field.Member("name"), source.name);
}
void CheckSource(const Field& field, const SecretSource& source) {
  CheckSubdomain(field.Member("secretName"), source.secret_name);
}
template <typename OtherSource>
void CheckSource(const Field& field, const OtherSource& /*source*/) {
  field.Fault("is not supported here: use emptyDir, hostPath, configMap or secret");
}

void CheckVolumes(const Field& volumes, const Pod& pod) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < pod.volumes.size(); ++i) {
    const Volume& volume = pod.volumes[i];
    const Field field = volumes.Item(i);
    CheckLabel(field.Member("name"), volume.name);
    if (!volume.name.empty() && !seen.insert(volume.name).second) {
      field.Member("name").Fault("another volume has this name; give each its own");
    }
    const Field source = field.Member(KindOfSource(volume.source));
    if (!source.HoldsMap()) continue;
    std::visit([&](const auto& kind) { CheckSource(source, kind); }, volume.source);
  }
}

void CheckPodLevelResources(const Field& resources, const Pod& pod) {
  if (!pod.resources) return;
  CheckResources(resources, *pod.resources);
  for (std::string_view side : {"requests", "limits"}) {
    const Field list = resources.Member(side);
    if (!list.HoldsMap()) continue;
    list.ForEachEntry([](std::string_view name, const Field& entry) {
      if (!MayStandAtPodLevel(name)) {
        entry.Fault("a pod-level resource must be cpu, memory or hugepages-SIZE");
      }
    });
  }
}

void CheckPriority(const Field& spec, const Pod& pod) {
  if (pod.priority || pod.priority_class_name.empty()) return;
  spec.Member("priorityClassName")
      .Warn(fmt::format("only {} and {} are known here, so the pod has no priority; set `priority`",
                        kSystemNodeCritical, kSystemClusterCritical));
}

void CheckTolerations(const Field& tolerations, const Pod& pod) {
  for (std::size_t i = 0; i < pod.tolerations.size(); ++i) {
    const Toleration& toleration = pod.tolerations[i];
    const Field field = tolerations.Item(i);
    const std::set<std::string_view> operators = {"", "Exists", "Equal", "Gt", "Lt"};
    const std::set<std::string_view> effects = {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};
    if (!operators.contains(toleration.op)) {
      field.Member("operator").Fault("must be Exists, Equal, Gt or Lt");
    } else if (toleration.key.empty() && toleration.op != "Exists") {
      field.Member("operator").Fault("must be Exists when `key` is empty");
    }
    if (!effects.contains(toleration.effect)) {
      field.Member("effect").Fault("must be NoSchedule, PreferNoSchedule or NoExecute");
    }
  }
}

void CheckSpec(const Field& spec, const Pod& pod) {
  if (!spec.IsPresent()) return spec.Fault("required");
  const Field containers = spec.Member("containers");
  if (pod.containers.empty() && (!containers.IsPresent() || containers.value()->AsList())) {
    containers.Fault("required: a pod has at least one container");
  }
  CheckVolumes(spec.Member("volumes"), pod);
  CheckContainers(spec, pod);
  if (*pod.termination_grace_period_seconds < 0) {
    spec.Member("terminationGracePeriodSeconds").Fault("must be 0 or more");
  }
  CheckTolerations(spec.Member("tolerations"), pod);
  CheckPriority(spec, pod);
  CheckAmounts(spec.Member("overhead"), pod.overhead);
  CheckPodLevelResources(spec.Member("resources"), pod);
}

}  // namespace

void ApplyPodDefaults(Pod& pod) {
  if (!pod.termination_grace_period_seconds) {
    pod.termination_grace_period_seconds = kGracePeriodSeconds;
  }
  for (Container& container : pod.init_containers) DefaultContainer(container);
  for (Container& container : pod.containers) DefaultContainer(container);
  DefaultPodLevelRequests(pod);
  for (Volume& volume : pod.volumes) DefaultSource(volume);
  if (!pod.priority) pod.priority = PriorityOfClass(pod.priority_class_name);
}

void CheckManifest(const Field& root, const Pod& pod) {
  CheckKind(root);
  CheckMetadata(root, pod);
  CheckSpec(root.Member("spec"), pod);
}

}  // namespace jettison::kube_json
