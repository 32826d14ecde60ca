#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/text/enum_names.h"
#include "core/units/quantity.h"

namespace jettison {

// Values of a core/v1 Pod, as far as a node agent acts on them; names follow the Kubernetes API.
// Absent fields are absent here too: defaults are applied by who reads them, and said so there.

enum class QosClass : std::uint8_t { kGuaranteed, kBurstable, kBestEffort };
template <>
inline constexpr auto kNamesOf<QosClass> = EnumNames("Guaranteed", "Burstable", "BestEffort");

// Resource name ("memory", "cpu", "ephemeral-storage", "hugepages-2Mi") to amount.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

enum class RestartPolicy : std::uint8_t { kAlways, kOnFailure, kNever };

// One `env` entry. Only literal values: valueFrom is refused by the reader with a fault.
struct EnvVar {
  std::string name;
  std::string value;
  friend bool operator==(const EnvVar&, const EnvVar&) = default;
};

struct VolumeMount {
  std::string name;        // of the pod's volume
  std::string mount_path;  // absolute
  std::string sub_path;    // relative to the volume's root; empty: the root itself
  bool read_only = false;
  friend bool operator==(const VolumeMount&, const VolumeMount&) = default;
};

// What `lifecycle.preStop` and its like run.
struct ExecAction {
  std::vector<std::string> command;
  friend bool operator==(const ExecAction&, const ExecAction&) = default;
};

// When an image is fetched from its registry (`imagePullPolicy`).
enum class PullPolicy : std::uint8_t { kAlways, kIfNotPresent, kNever };

// Names of Linux capabilities without "CAP_" ("NET_ADMIN", "ALL").
struct Capabilities {
  std::vector<std::string> add;
  std::vector<std::string> drop;
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

// `seccompProfile.type`: the system calls that a container may make.
enum class SeccompProfile : std::uint8_t { kRuntimeDefault, kUnconfined };

// `securityContext` of a container; user and group, where absent, are the pod's, then the image's.
// What else is absent is the pod's, where it has such a field.
struct SecurityContext {
  std::optional<std::int64_t> run_as_user;
  std::optional<std::int64_t> run_as_group;
  std::optional<bool> run_as_non_root;
  bool privileged = false;
  bool allow_privilege_escalation = true;
  bool read_only_root_filesystem = false;
  Capabilities capabilities;
  std::optional<SeccompProfile> seccomp_profile;
  friend bool operator==(const SecurityContext&, const SecurityContext&) = default;
};

struct Container {
  std::string name;
  std::string image;
  // Absent: DefaultPullPolicy of the image.
  std::optional<PullPolicy> image_pull_policy;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::string working_dir;
  std::vector<EnvVar> env;
  std::vector<VolumeMount> volume_mounts;
  ResourceRequirements resources;
  // Only init containers may carry one; kAlways makes the init container a sidecar.
  std::optional<RestartPolicy> restart_policy;
  std::optional<ExecAction> pre_stop;
  SecurityContext security_context;

  [[nodiscard]] bool IsSidecar() const { return restart_policy == RestartPolicy::kAlways; }
  friend bool operator==(const Container&, const Container&) = default;
};

struct EmptyDirSource {
  std::string medium;  // "" (disk), "Memory", "HugePages..."
  std::optional<Quantity> size_limit;
  friend bool operator==(const EmptyDirSource&, const EmptyDirSource&) = default;
};
struct HostPathSource {
  std::string path;
  std::string type;  // "", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", ...
  friend bool operator==(const HostPathSource&, const HostPathSource&) = default;
};
struct ConfigMapSource {
  std::string name;
  bool optional = false;
  friend bool operator==(const ConfigMapSource&, const ConfigMapSource&) = default;
};
struct SecretSource {
  std::string secret_name;
  bool optional = false;
  friend bool operator==(const SecretSource&, const SecretSource&) = default;
};
struct GitRepoSource {
  friend bool operator==(GitRepoSource, GitRepoSource) = default;
};
// A kind of volume that this agent knows by name only ("persistentVolumeClaim", "nfs", ...).
struct OtherVolumeSource {
  std::string kind;
  friend bool operator==(const OtherVolumeSource&, const OtherVolumeSource&) = default;
};
using VolumeSource = std::variant<EmptyDirSource, HostPathSource, ConfigMapSource, SecretSource,
                                  GitRepoSource, OtherVolumeSource>;

struct Volume {
  std::string name;
  VolumeSource source;
  friend bool operator==(const Volume&, const Volume&) = default;
};

struct Toleration {
  std::string key;
  std::string op;  // "", "Exists", "Equal" ("" is Equal)
  std::string value;
  std::string effect;  // "" matches every effect
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

// `spec.securityContext`: what holds for containers that do not say otherwise.
struct PodSecurityContext {
  std::optional<std::int64_t> run_as_user;
  std::optional<std::int64_t> run_as_group;
  std::optional<bool> run_as_non_root;
  std::vector<std::int64_t> supplemental_groups;
  // A further group of all processes, to which volumes of type emptyDir belong.
  std::optional<std::int64_t> fs_group;
  std::optional<SeccompProfile> seccomp_profile;
  friend bool operator==(const PodSecurityContext&, const PodSecurityContext&) = default;
};

struct Pod {
  std::string name;
  std::string namespace_ = "default";
  std::string uid;
  std::map<std::string, std::string, std::less<>> labels;
  std::map<std::string, std::string, std::less<>> annotations;

  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::vector<Volume> volumes;
  RestartPolicy restart_policy = RestartPolicy::kAlways;
  std::optional<std::int64_t> termination_grace_period_seconds;
  std::vector<Toleration> tolerations;
  std::optional<std::int32_t> priority;
  std::string priority_class_name;
  ResourceList overhead;
  std::optional<ResourceRequirements> resources;  // pod-level
  bool host_network = false;
  bool host_pid = false;
  bool host_ipc = false;
  PodSecurityContext security_context;

  std::optional<QosClass> status_qos_class;  // status.qosClass, preferred over the computed one
  friend bool operator==(const Pod&, const Pod&) = default;
};

// Pods of this priority and above are critical: never evicted, always admitted
// (scheduling.SystemCriticalPriority).
inline constexpr std::int32_t kSystemCriticalPriority = 2'000'000'000;

// The two priority classes that exist in every cluster.
inline constexpr std::string_view kSystemClusterCritical = "system-cluster-critical";
inline constexpr std::string_view kSystemNodeCritical = "system-node-critical";

// What the API server would write into `spec.priority` for a pod of that class: 2000000000 for
// system-cluster-critical, 2000001000 for system-node-critical. Absent for every other class, since
// those are objects of a cluster.
[[nodiscard]] constexpr std::optional<std::int32_t> PriorityOfClass(std::string_view name) {
  if (name == kSystemClusterCritical) return kSystemCriticalPriority;
  if (name == kSystemNodeCritical) return kSystemCriticalPriority + 1000;
  return std::nullopt;
}

// kAlways for an image with the tag "latest" or with neither tag nor digest, kIfNotPresent for any
// other. Source: pkg/apis/core/v1/defaults.go, SetDefaults_Container.
[[nodiscard]] PullPolicy DefaultPullPolicy(std::string_view image);

// "namespace/name", as logs and messages name a pod.
[[nodiscard]] std::string FullName(const Pod& pod);

// Which pod it is.
struct PodIdentity {
  std::string namespace_;
  std::string name;
  std::string uid;
  // "namespace/name", or the UID where no more is known of it.
  [[nodiscard]] std::string FullName() const {
    return name.empty() ? uid : namespace_ + "/" + name;
  }
};
[[nodiscard]] inline PodIdentity IdentityOf(const Pod& pod) {
  return {.namespace_ = pod.namespace_, .name = pod.name, .uid = pod.uid};
}

// Seconds that the pod may take to end: its own, a hundred years at most, or the 30 that Kubernetes
// gives one that does not say.
[[nodiscard]] std::int64_t GraceSecondsOf(const Pod& pod);

// Names of the resources that eviction weighs.
inline constexpr std::string_view kMemoryResource = "memory";
inline constexpr std::string_view kEphemeralStorageResource = "ephemeral-storage";

// Requests or limits: &ResourceRequirements::requests, &ResourceRequirements::limits.
using ResourceSide = ResourceList ResourceRequirements::*;

// The entry of that resource, or null where the list has none.
[[nodiscard]] const Quantity* FindResource(const ResourceList& list, std::string_view resource);

// What the containers ask for (or may use) together of one resource: containers and sidecars
// added up, or what an init container needs beside the sidecars started before it, where that is
// more. Pod-level resources and overhead are left aside. Absent when no container names the
// resource. The first addend's form and text are kept.
// Source: KEP-753; component-helpers/resource, AggregateContainerRequests and -Limits (1.36).
[[nodiscard]] std::optional<Quantity> SumOfContainers(const Pod& pod, ResourceSide side,
                                                      std::string_view resource);

// Whether `spec.resources` may name the resource: cpu, memory and huge pages.
[[nodiscard]] bool MayStandAtPodLevel(std::string_view resource);

// Whether `spec.resources` has a request or a limit that may stand there.
[[nodiscard]] bool HasPodLevelResources(const Pod& pod);

// What the pod asks for of one resource, as ranking weighs it: the sum of its containers plus the
// overhead, unless the sum is zero. Where the pod has pod-level resources these alone count, so a
// resource that they do not name (and those they cannot name, like ephemeral-storage) is zero.
// Never absent. Source: pkg/api/v1/resource, GetResourceRequestQuantity (1.36).
[[nodiscard]] Quantity EffectiveRequest(const Pod& pod, std::string_view resource);

// The limit of the pod as a whole, summed like the requests; a pod-level limit replaces the
// containers', the overhead is added to a limit that is not zero. Absent when nothing limits the
// resource. Its text is the one that messages show.
// Source: component-helpers/resource, PodLimits (1.36).
[[nodiscard]] std::optional<Quantity> EffectiveLimit(const Pod& pod, std::string_view resource);

}  // namespace jettison
