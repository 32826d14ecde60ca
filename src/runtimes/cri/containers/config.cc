#include "runtimes/cri/containers/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "containers/cri_container.h"
#include "core/pods/variables.h"
#include "kernel/files/paths.h"

namespace jettison::cri {
namespace {

// Groups that all processes of the pod are in, besides their own.
std::vector<std::int64_t> SupplementalGroupsOf(const Pod& pod) {
  const PodSecurityContext& context = pod.security_context;
  std::vector<std::int64_t> groups;
  if (context.fs_group) groups.push_back(*context.fs_group);
  groups.insert(groups.end(), context.supplemental_groups.begin(),
                context.supplemental_groups.end());
  return groups;
}

api::SecurityProfile ProfileOf(SeccompProfile profile) {
  api::SecurityProfile described;
  described.set_profile_type(profile == SeccompProfile::kUnconfined
                                 ? api::SecurityProfile::Unconfined
                                 : api::SecurityProfile::RuntimeDefault);
  return described;
}

// The namespaces that the pod shares with the host, for sandbox and containers alike.
api::NamespaceOption NamespacesOf(const Pod& pod, bool host_network) {
  api::NamespaceOption options;
  options.set_network(host_network ? api::NODE : api::POD);
  options.set_pid(pod.host_pid ? api::NODE : api::CONTAINER);
  options.set_ipc(pod.host_ipc ? api::NODE : api::POD);
  return options;
}

constexpr std::size_t kMaxHostName = 63;

// A privileged container needs a privileged sandbox.
bool AnyPrivileged(const Pod& pod) {
  const auto containers = kernel::ContainersOf(pod);
  return std::any_of(containers.begin(), containers.end(), [](const Container* container) {
    return container->security_context.privileged;
  });
}

// A host name is cut, and must not end in a character that is only allowed between others.
std::string HostNameOf(const Pod& pod) {
  std::string name = pod.name.substr(0, kMaxHostName);
  while (name.ends_with('-') || name.ends_with('.')) name.pop_back();
  return name;
}

void Label(const SandboxPlan& plan, api::PodSandboxConfig& config) {
  const Pod& pod = plan.pod;
  auto& labels = *config.mutable_labels();
  for (const auto& [name, value] : pod.labels) labels[name] = value;
  labels[std::string(kPodNameLabel)] = pod.name;
  labels[std::string(kPodNamespaceLabel)] = pod.namespace_;
  labels[std::string(kPodUidLabel)] = pod.uid;
  auto& annotations = *config.mutable_annotations();
  for (const auto& [name, value] : pod.annotations) annotations[name] = value;
  annotations[std::string(kConfigSourceAnnotation)] = "file";
  annotations[std::string(kRootAnnotation)] = plan.root;
  annotations[std::string(kNetworkAnnotation)] = plan.host_network ? "host" : "pod";
}

void Label(const ContainerPlan& plan, api::ContainerConfig& config) {
  auto& labels = *config.mutable_labels();
  labels[std::string(kPodNameLabel)] = plan.pod.name;
  labels[std::string(kPodNamespaceLabel)] = plan.pod.namespace_;
  labels[std::string(kPodUidLabel)] = plan.pod.uid;
  labels[std::string(kContainerNameLabel)] = plan.container.name;
  auto& annotations = *config.mutable_annotations();
  annotations[std::string(kRestartCountAnnotation)] = fmt::to_string(plan.attempt);
  annotations[std::string(kGracePeriodAnnotation)] = fmt::to_string(GraceSecondsOf(plan.pod));
}

void SetProgram(const Container& container, api::ContainerConfig& config) {
  const Variables variables = OwnVariables(container);
  for (const std::string& word : container.command) config.add_command(variables.Expand(word));
  for (const std::string& word : container.args) config.add_args(variables.Expand(word));
  config.set_working_dir(container.working_dir);
  for (const auto& [name, value] : variables.entries()) {
    auto& variable = *config.add_envs();
    variable.set_key(name);
    variable.set_value(value);
  }
}

void SetResources(const ContainerPlan& plan, api::LinuxContainerResources& resources) {
  const CgroupLimits& limits = plan.limits;
  if (limits.cpu_shares) {
    resources.set_cpu_shares(static_cast<std::int64_t>(*limits.cpu_shares));
  }
  if (limits.cpu_quota_us) resources.set_cpu_quota(*limits.cpu_quota_us);
  if (limits.cpu_period_us) {
    resources.set_cpu_period(static_cast<std::int64_t>(*limits.cpu_period_us));
  }
  if (limits.memory_bytes) {
    resources.set_memory_limit_in_bytes(static_cast<std::int64_t>(*limits.memory_bytes));
  }
  resources.set_oom_score_adj(plan.oom_score_adj);
}

// The container's own user and group take precedence over the pod's. Runtimes refuse a group
// without a user, so the image's user is added (kubelet: determineEffectiveSecurityContext).
void SetUser(const ContainerPlan& plan, api::LinuxContainerSecurityContext& security) {
  const SecurityContext& own = plan.container.security_context;
  const PodSecurityContext& shared = plan.pod.security_context;
  const auto user = own.run_as_user ? own.run_as_user : shared.run_as_user;
  const auto group = own.run_as_group ? own.run_as_group : shared.run_as_group;
  if (user) security.mutable_run_as_user()->set_value(*user);
  if (!group) return;
  security.mutable_run_as_group()->set_value(*group);
  if (user) return;
  if (plan.image.user || plan.image.user_name.empty()) {
    security.mutable_run_as_user()->set_value(plan.image.user.value_or(0));
  } else {
    security.set_run_as_username(plan.image.user_name);
  }
}

// What a container must not read of the host, and what it may read but not write: the lists of the
// kubelet (securitycontext: ConvertToRuntimeMaskedPaths, ConvertToRuntimeReadonlyPaths).
constexpr std::array<std::string_view, 12> kMaskedPaths = {
    "/proc/asound",     "/proc/acpi",        "/proc/interrupts",
    "/proc/kcore",      "/proc/keys",        "/proc/latency_stats",
    "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
    "/proc/scsi",       "/sys/firmware",     "/sys/devices/virtual/powercap"};
constexpr std::array<std::string_view, 5> kReadOnlyPaths = {"/proc/bus", "/proc/fs", "/proc/irq",
                                                            "/proc/sys", "/proc/sysrq-trigger"};

// Not every runtime has lists of its own: CRI-O masks nothing that it is not told to mask.
void SetHiddenPaths(api::LinuxContainerSecurityContext& security) {
  for (const std::string_view path : kMaskedPaths) security.add_masked_paths(std::string(path));
  for (const std::string_view path : kReadOnlyPaths) security.add_readonly_paths(std::string(path));
}

void SetSecurity(const ContainerPlan& plan, api::LinuxContainerSecurityContext& security) {
  const SecurityContext& own = plan.container.security_context;
  security.set_privileged(own.privileged);
  if (!own.privileged) SetHiddenPaths(security);
  security.set_readonly_rootfs(own.read_only_root_filesystem);
  *security.mutable_namespace_options() = NamespacesOf(plan.pod, plan.host_network);
  for (const std::string& name : own.capabilities.add) {
    security.mutable_capabilities()->add_add_capabilities(name);
  }
  for (const std::string& name : own.capabilities.drop) {
    security.mutable_capabilities()->add_drop_capabilities(name);
  }
  SetUser(plan, security);
  for (const std::int64_t group : SupplementalGroupsOf(plan.pod)) {
    security.add_supplemental_groups(group);
  }
  security.set_no_new_privs(!own.allow_privilege_escalation);
  const auto seccomp =
      own.seccomp_profile ? own.seccomp_profile : plan.pod.security_context.seccomp_profile;
  if (seccomp) *security.mutable_seccomp() = ProfileOf(*seccomp);
}

}  // namespace

api::PodSandboxConfig SandboxConfigOf(const SandboxPlan& plan) {
  const Pod& pod = plan.pod;
  api::PodSandboxConfig config;
  config.mutable_metadata()->set_name(pod.name);
  config.mutable_metadata()->set_uid(pod.uid);
  config.mutable_metadata()->set_namespace_(pod.namespace_);
  config.mutable_metadata()->set_attempt(plan.attempt);
  if (!plan.host_network) config.set_hostname(HostNameOf(pod));
  config.set_log_directory(plan.log_directory);
  Label(plan, config);
  config.mutable_linux()->set_cgroup_parent(plan.cgroup_parent);
  auto& security = *config.mutable_linux()->mutable_security_context();
  *security.mutable_namespace_options() = NamespacesOf(pod, plan.host_network);
  security.set_privileged(AnyPrivileged(pod));
  if (const auto user = pod.security_context.run_as_user) {
    security.mutable_run_as_user()->set_value(*user);
    if (const auto group = pod.security_context.run_as_group) {
      security.mutable_run_as_group()->set_value(*group);
    }
  }
  for (const std::int64_t group : SupplementalGroupsOf(pod)) {
    security.add_supplemental_groups(group);
  }
  if (const auto seccomp = pod.security_context.seccomp_profile) {
    *security.mutable_seccomp() = ProfileOf(*seccomp);
  }
  return config;
}

Result<void> CheckNonRoot(const Pod& pod, const Container& container, const ImageFacts& image) {
  const SecurityContext& own = container.security_context;
  const PodSecurityContext& shared = pod.security_context;
  const auto non_root = own.run_as_non_root ? own.run_as_non_root : shared.run_as_non_root;
  if (!non_root.value_or(false)) return {};
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("container{} (pod: \"{}_{}({})\", "
                            "container: {})",
                            why, pod.name, pod.namespace_, pod.uid, container.name));
  };
  if (const auto user = own.run_as_user ? own.run_as_user : shared.run_as_user) {
    return *user == 0 ? refuse("'s runAsUser breaks non-root policy") : Result<void>{};
  }
  if (!image.user && !image.user_name.empty()) {
    return refuse(
        fmt::format(" has runAsNonRoot and image has non-numeric user ({}), cannot "
                    "verify user is non-root",
                    image.user_name));
  }
  if (image.user.value_or(0) == 0) return refuse(" has runAsNonRoot and image will run as root");
  return {};
}

api::ContainerConfig ContainerConfigOf(const ContainerPlan& plan) {
  api::ContainerConfig config;
  config.mutable_metadata()->set_name(plan.container.name);
  config.mutable_metadata()->set_attempt(static_cast<std::uint32_t>(plan.attempt));
  config.mutable_image()->set_image(plan.image.id);
  SetProgram(plan.container, config);
  for (const HostMount& mount : plan.mounts) {
    auto& into = *config.add_mounts();
    into.set_container_path(mount.container_path);
    into.set_host_path(mount.host_path);
    into.set_readonly(mount.read_only);
  }
  Label(plan, config);
  config.set_log_path(fmt::format("{}/{}.log", plan.container.name, plan.attempt));
  SetResources(plan, *config.mutable_linux()->mutable_resources());
  SetSecurity(plan, *config.mutable_linux()->mutable_security_context());
  return config;
}

}  // namespace jettison::cri
