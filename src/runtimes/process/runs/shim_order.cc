#include "runtimes/process/runs/shim_order.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "core/pods/variables.h"
#include "kernel/files/paths.h"

namespace jettison::process {
namespace {

constexpr std::size_t kMaxHostName = 63;

// Strings that each end with a NUL.
class OrderText {
 public:
  template <typename T>
  OrderText& Add(const T& value) {
    const std::size_t begin = text_.size();
    fmt::format_to(std::back_inserter(text_), "{}", value);
    has_nul_ = has_nul_ || text_.find('\0', begin) != std::string::npos;
    text_ += '\0';
    return *this;
  }
  // With its length.
  OrderText& AddAll(const std::vector<std::string>& values) {
    Add(values.size());
    for (const std::string& value : values) Add(value);
    return *this;
  }
  Result<std::string> Take() {
    if (!has_nul_) return std::move(text_);
    return Fail(ErrorCode::kInvalidArgument,
                "a NUL is not allowed in a command, a variable or a path");
  }

 private:
  std::string text_;
  bool has_nul_ = false;
};

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

std::vector<std::string> EnvironmentOf(const Pod& pod, const Container& container) {
  Variables variables{{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
                      {"HOME", "/root"},
                      {"HOSTNAME", pod.name.substr(0, kMaxHostName)}};
  const Variables own = OwnVariables(container);
  for (const auto& [name, value] : own.entries()) variables.Set(name, value);
  std::vector<std::string> environment;
  environment.reserve(variables.entries().size());
  for (const auto& [name, value] : variables.entries())
    environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

Result<std::vector<std::string>> CommandLineOf(const Container& container) {
  if (container.command.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("container {} has no command; the process runtime has no image to take "
                            "one from: set spec.containers[].command",
                            container.name));
  }
  const Variables variables = OwnVariables(container);
  std::vector<std::string> line;
  line.reserve(container.command.size() + container.args.size());
  for (const std::string& word : container.command) line.push_back(variables.Expand(word));
  for (const std::string& word : container.args) line.push_back(variables.Expand(word));
  return line;
}

Result<std::string> Format(const ShimOrder& order) {
  if (order.command.empty()) return Fail(ErrorCode::kInvalidArgument, "it has no command");
  OrderText text;
  text.Add(order.run_dir).Add(order.log_path).Add(order.boot_id).Add(order.oom_kills);
  text.Add(order.oom_score_adj).Add(order.rootfs).Add(order.working_dir);
  text.AddAll(order.command).AddAll(order.environment).AddAll(order.groups);
  text.Add(order.mounts.size());
  for (const kernel::PlannedMount& mount : order.mounts) {
    text.Add(mount.source).Add(mount.sub_path).Add(mount.target);
    text.Add(static_cast<int>(mount.read_only)).Add(static_cast<int>(mount.kept_by_operator));
  }
  return text.Take();
}

Result<void> CheckRights(const Pod& pod) {
  for (const Container* container : kernel::ContainersOf(pod)) {
    const std::string_view field = Unmet(container->security_context);
    if (!field.empty()) return Refuse("container " + container->name, field);
  }
  const std::string_view field = Unmet(pod.security_context);
  return field.empty() ? Result<void>{} : Refuse("the pod", field);
}

}  // namespace jettison::process
