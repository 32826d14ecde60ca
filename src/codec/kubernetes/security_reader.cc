#include "codec/kubernetes/security_reader.h"

#include <limits>
#include <string_view>

namespace jettison::kube_json {
namespace {

// A user's or a group's number. (pkg/apis/core/validation, ValidateUserID)
std::optional<std::int64_t> ReadId(const Field& field) {
  return field.Integer(0, std::numeric_limits<std::int32_t>::max());
}

std::vector<std::string> ReadCapabilities(const Field& field) {
  std::vector<std::string> names = field.Strings();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].starts_with("CAP_")) field.Item(i).Unsupported("write it without CAP_");
  }
  return names;
}

std::optional<SeccompProfile> ReadSeccompProfile(const Field& field) {
  static constexpr std::string_view kKnown[] = {"type"};
  if (!field.IsMap()) return std::nullopt;
  const Field type = field.Member("type");
  const auto name = type.String();
  if (name == "RuntimeDefault" || name == "Unconfined") {
    field.WarnOfOthers(kKnown);
    return name == "Unconfined" ? SeccompProfile::kUnconfined : SeccompProfile::kRuntimeDefault;
  }
  if (name == "Localhost") {
    type.Warn("Localhost is not supported here, has no effect");
  } else if (type.HoldsTextOrNothing()) {
    type.Fault("must be RuntimeDefault, Unconfined or Localhost");
  }
  return std::nullopt;
}

std::vector<std::int64_t> ReadGroups(const Field& field) {
  std::vector<std::int64_t> groups;
  field.ForEachItem([&](const Field& item) {
    if (const auto group = ReadId(item)) groups.push_back(*group);
  });
  return groups;
}

// Rights that would come all the same. The API server refuses the capability CAP_SYS_ADMIN here,
// too, but in this spelling only, which is not supported in a manifest; SYS_ADMIN it takes.
// (pkg/apis/core/validation, ValidateSecurityContext)
void CheckEscalation(const Field& field, const SecurityContext& context) {
  if (context.allow_privilege_escalation || !context.privileged) return;
  field.Member("allowPrivilegeEscalation").Fault("must not be false where privileged is true");
}

}  // namespace

SecurityContext ReadSecurityContext(const Field& field) {
  static constexpr std::string_view kKnown[] = {"runAsUser",
                                                "runAsGroup",
                                                "runAsNonRoot",
                                                "privileged",
                                                "capabilities",
                                                "allowPrivilegeEscalation",
                                                "readOnlyRootFilesystem",
                                                "seccompProfile"};
  static constexpr std::string_view kCapabilities[] = {"add", "drop"};
  SecurityContext context;
  if (!field.IsMap()) return context;
  context.run_as_user = ReadId(field.Member("runAsUser"));
  context.run_as_group = ReadId(field.Member("runAsGroup"));
  context.run_as_non_root = field.Member("runAsNonRoot").Bool();
  context.privileged = field.Member("privileged").Bool().value_or(false);
  context.allow_privilege_escalation =
      field.Member("allowPrivilegeEscalation").Bool().value_or(true);
  context.read_only_root_filesystem = field.Member("readOnlyRootFilesystem").Bool().value_or(false);
  const Field capabilities = field.Member("capabilities");
  if (capabilities.IsMap()) {
    context.capabilities = {.add = ReadCapabilities(capabilities.Member("add")),
                            .drop = ReadCapabilities(capabilities.Member("drop"))};
    capabilities.WarnOfOthers(kCapabilities);
  }
  context.seccomp_profile = ReadSeccompProfile(field.Member("seccompProfile"));
  CheckEscalation(field, context);
  field.WarnOfOthers(kKnown);
  return context;
}

PodSecurityContext ReadPodSecurityContext(const Field& field) {
  static constexpr std::string_view kKnown[] = {
      "runAsUser", "runAsGroup", "runAsNonRoot", "supplementalGroups", "fsGroup", "seccompProfile"};
  PodSecurityContext context;
  if (!field.IsMap()) return context;
  context.run_as_user = ReadId(field.Member("runAsUser"));
  context.run_as_group = ReadId(field.Member("runAsGroup"));
  context.run_as_non_root = field.Member("runAsNonRoot").Bool();
  context.supplemental_groups = ReadGroups(field.Member("supplementalGroups"));
  context.fs_group = ReadId(field.Member("fsGroup"));
  context.seccomp_profile = ReadSeccompProfile(field.Member("seccompProfile"));
  field.WarnOfOthers(kKnown);
  return context;
}

}  // namespace jettison::kube_json
