#include "runtimes/process/host_rights.h"

#include <fmt/format.h>

#include <string_view>

#include "kernel/files/paths.h"

namespace jettison::process {
namespace {

// The first field that cannot be honoured; empty: none.
std::string_view Unmet(const PodSecurityContext& context) {
  if (context.run_as_user.value_or(0) != 0) return "runAsUser";
  if (context.run_as_group.value_or(0) != 0) return "runAsGroup";
  if (context.run_as_non_root.value_or(false)) return "runAsNonRoot";
  if (!context.supplemental_groups.empty()) return "supplementalGroups";
  if (context.seccomp_profile == SeccompProfile::kRuntimeDefault) return "seccompProfile";
  return "";
}

std::string_view Unmet(const SecurityContext& context) {
  const PodSecurityContext ids{.run_as_user = context.run_as_user,
                               .run_as_group = context.run_as_group,
                               .run_as_non_root = context.run_as_non_root,
                               .seccomp_profile = context.seccomp_profile};
  if (const std::string_view field = Unmet(ids); !field.empty()) return field;
  if (!context.allow_privilege_escalation) return "allowPrivilegeEscalation";
  if (context.read_only_root_filesystem) return "readOnlyRootFilesystem";
  if (!context.capabilities.drop.empty()) return "capabilities.drop";
  return "";
}

Result<void> Refuse(std::string_view who, std::string_view field) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} sets securityContext.{}: the process runtime runs everything as "
                          "root on the host's filesystem; use the runtime `cri`",
                          who, field));
}

}  // namespace

Result<void> CheckRights(const Pod& pod) {
  for (const Container* container : kernel::ContainersOf(pod)) {
    const std::string_view field = Unmet(container->security_context);
    if (!field.empty()) return Refuse("container " + container->name, field);
  }
  const std::string_view field = Unmet(pod.security_context);
  return field.empty() ? Result<void>{} : Refuse("the pod", field);
}

}  // namespace jettison::process
