#include "runtimes/cri/containers/sandbox_config.h"

#include <algorithm>

#include "containers/cri_container.h"
#include "kernel/files/paths.h"

namespace jettison::cri {
namespace {

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

api::NamespaceOption NamespacesOf(const Pod& pod, bool host_network) {
  api::NamespaceOption options;
  options.set_network(host_network ? api::NODE : api::POD);
  options.set_pid(pod.host_pid ? api::NODE : api::CONTAINER);
  options.set_ipc(pod.host_ipc ? api::NODE : api::POD);
  return options;
}

}  // namespace jettison::cri
