#include "platform/kube_json/security_reader.h"

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

}  // namespace

SecurityContext ReadSecurityContext(const Field& field) {
  static constexpr std::string_view kKnown[] = {"runAsUser", "runAsGroup", "privileged",
                                                "readOnlyRootFilesystem", "capabilities"};
  static constexpr std::string_view kCapabilities[] = {"add", "drop"};
  SecurityContext context;
  if (!field.IsMap()) return context;
  context.run_as_user = ReadId(field.Member("runAsUser"));
  context.run_as_group = ReadId(field.Member("runAsGroup"));
  context.privileged = field.Member("privileged").Bool().value_or(false);
  context.read_only_root_filesystem = field.Member("readOnlyRootFilesystem").Bool().value_or(false);
  const Field capabilities = field.Member("capabilities");
  if (capabilities.IsMap()) {
    context.capabilities = {.add = ReadCapabilities(capabilities.Member("add")),
                            .drop = ReadCapabilities(capabilities.Member("drop"))};
    capabilities.WarnOfOthers(kCapabilities);
  }
  field.WarnOfOthers(kKnown);
  return context;
}

PodSecurityContext ReadPodSecurityContext(const Field& field) {
  static constexpr std::string_view kKnown[] = {"runAsUser", "runAsGroup"};
  PodSecurityContext context;
  if (!field.IsMap()) return context;
  context.run_as_user = ReadId(field.Member("runAsUser"));
  context.run_as_group = ReadId(field.Member("runAsGroup"));
  field.WarnOfOthers(kKnown);
  return context;
}

}  // namespace jettison::kube_json
