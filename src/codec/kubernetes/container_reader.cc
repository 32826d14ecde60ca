#include "codec/kubernetes/container_reader.h"

#include <string_view>

#include "codec/kubernetes/resources_reader.h"
#include "codec/kubernetes/security_reader.h"

namespace jettison::kube_json {
namespace {

EnvVar ReadEnvVar(const Field& field) {
  static constexpr std::string_view kKnown[] = {"name", "value", "valueFrom"};
  EnvVar variable;
  if (!field.IsMap()) return variable;
  variable.name = field.Member("name").String().value_or("");
  variable.value = field.Member("value").String().value_or("");
  const Field elsewhere = field.Member("valueFrom");
  if (elsewhere.IsPresent()) elsewhere.Unsupported("give the variable a literal `value`");
  field.WarnOfOthers(kKnown);
  return variable;
}

VolumeMount ReadVolumeMount(const Field& field) {
  static constexpr std::string_view kKnown[] = {"name", "mountPath", "subPath", "readOnly"};
  VolumeMount mount;
  if (!field.IsMap()) return mount;
  mount.name = field.Member("name").String().value_or("");
  mount.mount_path = field.Member("mountPath").String().value_or("");
  mount.sub_path = field.Member("subPath").String().value_or("");
  mount.read_only = field.Member("readOnly").Bool().value_or(false);
  field.WarnOfOthers(kKnown);
  return mount;
}

std::optional<ExecAction> ReadPreStop(const Field& lifecycle) {
  static constexpr std::string_view kHooks[] = {"preStop"};
  static constexpr std::string_view kActions[] = {"exec"};
  if (!lifecycle.IsMap()) return std::nullopt;
  lifecycle.WarnOfOthers(kHooks);
  const Field pre_stop = lifecycle.Member("preStop");
  if (!pre_stop.IsMap()) return std::nullopt;
  pre_stop.WarnOfOthers(kActions);
  const Field exec = pre_stop.Member("exec");
  if (!exec.IsMap()) return std::nullopt;
  return ExecAction{exec.Member("command").Strings()};
}

// A port is a remark for people, except where it is to be bound on the host.
void WarnOfHostPorts(const Field& ports) {
  ports.ForEachItem([](const Field& port) {
    if (!port.IsMap()) return;
    const Field host_port = port.Member("hostPort");
    if (host_port.IsPresent()) host_port.Warn("not supported here, has no effect");
  });
}

void ReadLists(const Field& field, Container& container) {
  container.command = field.Member("command").Strings();
  container.args = field.Member("args").Strings();
  const Field env = field.Member("env");
  env.ForEachItem([&](const Field& item) { container.env.push_back(ReadEnvVar(item)); });
  const Field env_from = field.Member("envFrom");
  if (env_from.IsPresent()) env_from.Unsupported("write the variables into `env`");
  const Field mounts = field.Member("volumeMounts");
  mounts.ForEachItem(
      [&](const Field& item) { container.volume_mounts.push_back(ReadVolumeMount(item)); });
}

std::optional<PullPolicy> ReadPullPolicy(const Field& field) {
  const std::optional<std::string> text = field.String();
  if (!text || text->empty()) return std::nullopt;
  if (*text == "Always") return PullPolicy::kAlways;
  if (*text == "IfNotPresent") return PullPolicy::kIfNotPresent;
  if (*text == "Never") return PullPolicy::kNever;
  field.Fault("must be Always, IfNotPresent or Never");
  return std::nullopt;
}

}  // namespace

std::optional<RestartPolicy> ReadRestartPolicy(const Field& field) {
  const std::optional<std::string> text = field.String();
  if (!text) return std::nullopt;
  if (*text == "Always") return RestartPolicy::kAlways;
  if (*text == "OnFailure") return RestartPolicy::kOnFailure;
  if (*text == "Never") return RestartPolicy::kNever;
  field.Fault("must be Always, OnFailure or Never");
  return std::nullopt;
}

Container ReadContainer(const Field& field) {
  // The last three ask for what happens here anyway, or are remarks.
  static constexpr std::string_view kKnown[] = {"name",
                                                "image",
                                                "command",
                                                "args",
                                                "env",
                                                "envFrom",
                                                "resources",
                                                "workingDir",
                                                "lifecycle",
                                                "volumeMounts",
                                                "ports",
                                                "restartPolicy",
                                                "imagePullPolicy",
                                                "securityContext",
                                                "terminationMessagePath",
                                                "terminationMessagePolicy",
                                                "resizePolicy"};
  Container container;
  if (!field.IsPresent()) field.Fault("must be a map, found null");
  if (!field.IsMap()) return container;
  container.name = field.Member("name").String().value_or("");
  container.image = field.Member("image").String().value_or("");
  container.image_pull_policy = ReadPullPolicy(field.Member("imagePullPolicy"));
  container.working_dir = field.Member("workingDir").String().value_or("");
  ReadLists(field, container);
  container.resources = ReadResources(field.Member("resources"));
  container.restart_policy = ReadRestartPolicy(field.Member("restartPolicy"));
  container.pre_stop = ReadPreStop(field.Member("lifecycle"));
  container.security_context = ReadSecurityContext(field.Member("securityContext"));
  WarnOfHostPorts(field.Member("ports"));
  field.WarnOfOthers(kKnown);
  return container;
}

}  // namespace jettison::kube_json
