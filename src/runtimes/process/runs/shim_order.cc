#include "runtimes/process/runs/shim_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/pods/variables.h"
#include "kernel/files/paths.h"

namespace jettison::process {
namespace {

constexpr std::size_t kMaxHostName = 63;

class OrderText {
 public:
  explicit OrderText(std::string_view mode) { Add("mode", mode); }

  template <typename T>
  OrderText& Add(std::string_view key, const T& value) {
    text_ += fmt::format("{}={}", key, value);
    text_ += '\0';
    return *this;
  }
  OrderText& AddAll(std::string_view key, const std::vector<std::string>& values) {
    for (const std::string& value : values) Add(key, value);
    return *this;
  }
  OrderText& AddIfSet(std::string_view key, const std::string& value) {
    return value.empty() ? *this : Add(key, value);
  }
  OrderText& AddMount(const kernel::PlannedMount& mount) {
    Add("mount",
        fmt::format("{}{}", mount.read_only ? "r" : "", mount.kept_by_operator ? "k" : ""));
    Add("source", mount.source).AddIfSet("sub", mount.sub_path);
    return Add("target", mount.target);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
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
  Variables variables{{"PATH", std::string(kDefaultPath)},
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
  const auto has_nul = [](const std::string& word) { return word.find('\0') != word.npos; };
  if (order.command.empty()) return Fail(ErrorCode::kInvalidArgument, "it has no command");
  if (std::ranges::any_of(order.command, has_nul) ||
      std::ranges::any_of(order.environment, has_nul)) {
    return Fail(ErrorCode::kInvalidArgument, "a NUL is not allowed in a command or a variable");
  }
  const bool is_hook = order.run_dir.empty();
  OrderText text(is_hook ? "hook" : "run");
  text.AddAll("arg", order.command).AddAll("env", order.environment);
  text.AddAll("group", order.groups);
  text.AddIfSet("cwd", order.working_dir).Add("scratch", order.rootfs);
  text.Add("oom_score_adj", order.oom_score_adj);
  if (is_hook) return text.Take();
  text.Add("run_dir", order.run_dir);
  for (const kernel::PlannedMount& mount : order.mounts) text.AddMount(mount);
  text.Add("log", order.log_path).Add("boot", order.boot_id).Add("oom_kills", order.oom_kills);
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
