#include "platform/kube_json/pod_writer.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace jettison {
namespace {

using Json = nlohmann::ordered_json;

// Sets a member unless it would say nothing.
void Set(Json& into, const char* name, const std::string& text) {
  if (!text.empty()) into[name] = text;
}
void Set(Json& into, const char* name, Json&& json) {
  if (!json.empty()) into[name] = std::move(json);
}
void SetTrue(Json& into, const char* name, bool value) {
  if (value) into[name] = true;
}

Json JsonOf(const ResourceList& list) {
  Json json = Json::object();
  for (const auto& [name, amount] : list) json[name] = amount.ToString();
  return json;
}

Json JsonOf(const ResourceRequirements& resources) {
  Json json = Json::object();
  Set(json, "limits", JsonOf(resources.limits));
  Set(json, "requests", JsonOf(resources.requests));
  return json;
}

// A list with one entry for each item.
template <typename T, typename ToJson>
Json JsonOfEach(const std::vector<T>& items, ToJson to_json) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(to_json(item));
  return json;
}

const char* NameOf(RestartPolicy policy) {
  switch (policy) {
    case RestartPolicy::kAlways: return "Always";
    case RestartPolicy::kOnFailure: return "OnFailure";
    case RestartPolicy::kNever: return "Never";
  }
  __builtin_unreachable();
}

const char* NameOf(PullPolicy policy) {
  switch (policy) {
    case PullPolicy::kAlways: return "Always";
    case PullPolicy::kIfNotPresent: return "IfNotPresent";
    case PullPolicy::kNever: return "Never";
  }
  __builtin_unreachable();
}

void SetNumber(Json& into, const char* name, const std::optional<std::int64_t>& number) {
  if (number) into[name] = *number;
}

void SetSeccompProfile(Json& into, const std::optional<SeccompProfile>& profile) {
  if (!profile) return;
  into["seccompProfile"]["type"] =
      *profile == SeccompProfile::kUnconfined ? "Unconfined" : "RuntimeDefault";
}

Json JsonOf(const SecurityContext& context) {
  Json json = Json::object();
  SetNumber(json, "runAsUser", context.run_as_user);
  SetNumber(json, "runAsGroup", context.run_as_group);
  if (context.run_as_non_root) json["runAsNonRoot"] = *context.run_as_non_root;
  SetTrue(json, "privileged", context.privileged);
  if (!context.allow_privilege_escalation) json["allowPrivilegeEscalation"] = false;
  SetTrue(json, "readOnlyRootFilesystem", context.read_only_root_filesystem);
  Json capabilities = Json::object();
  Set(capabilities, "add", Json(context.capabilities.add));
  Set(capabilities, "drop", Json(context.capabilities.drop));
  Set(json, "capabilities", std::move(capabilities));
  SetSeccompProfile(json, context.seccomp_profile);
  return json;
}

Json JsonOf(const PodSecurityContext& context) {
  Json json = Json::object();
  SetNumber(json, "runAsUser", context.run_as_user);
  SetNumber(json, "runAsGroup", context.run_as_group);
  if (context.run_as_non_root) json["runAsNonRoot"] = *context.run_as_non_root;
  Set(json, "supplementalGroups", Json(context.supplemental_groups));
  SetNumber(json, "fsGroup", context.fs_group);
  SetSeccompProfile(json, context.seccomp_profile);
  return json;
}

Json JsonOf(const EnvVar& variable) {
  Json json = {{"name", variable.name}};
  Set(json, "value", variable.value);
  return json;
}

Json JsonOf(const VolumeMount& mount) {
  Json json = {{"name", mount.name}, {"mountPath", mount.mount_path}};
  Set(json, "subPath", mount.sub_path);
  SetTrue(json, "readOnly", mount.read_only);
  return json;
}

Json JsonOf(const Container& container) {
  Json json = {{"name", container.name}};
  Set(json, "image", container.image);
  if (container.image_pull_policy) json["imagePullPolicy"] = NameOf(*container.image_pull_policy);
  Set(json, "command", Json(container.command));
  Set(json, "args", Json(container.args));
  Set(json, "workingDir", container.working_dir);
  Set(json, "env", JsonOfEach(container.env, [](const EnvVar& v) { return JsonOf(v); }));
  Set(json, "volumeMounts",
      JsonOfEach(container.volume_mounts, [](const VolumeMount& m) { return JsonOf(m); }));
  Set(json, "resources", JsonOf(container.resources));
  if (container.restart_policy) json["restartPolicy"] = NameOf(*container.restart_policy);
  if (container.pre_stop) {
    json["lifecycle"]["preStop"]["exec"]["command"] = container.pre_stop->command;
  }
  Set(json, "securityContext", JsonOf(container.security_context));
  return json;
}

std::pair<std::string, Json> SourceOf(const EmptyDirSource& source) {
  Json json = Json::object();
  Set(json, "medium", source.medium);
  if (source.size_limit) json["sizeLimit"] = source.size_limit->ToString();
  return {"emptyDir", std::move(json)};
}
std::pair<std::string, Json> SourceOf(const HostPathSource& source) {
  Json json = {{"path", source.path}};
  Set(json, "type", source.type);
  return {"hostPath", std::move(json)};
}
std::pair<std::string, Json> SourceOf(const ConfigMapSource& source) {
  Json json = {{"name", source.name}};
  SetTrue(json, "optional", source.optional);
  return {"configMap", std::move(json)};
}
std::pair<std::string, Json> SourceOf(const SecretSource& source) {
  Json json = {{"secretName", source.secret_name}};
  SetTrue(json, "optional", source.optional);
  return {"secret", std::move(json)};
}
std::pair<std::string, Json> SourceOf(const GitRepoSource&) {
  return {"gitRepo", Json::object()};
}
std::pair<std::string, Json> SourceOf(const OtherVolumeSource& source) {
  return {source.kind, Json::object()};
}

Json JsonOf(const Volume& volume) {
  Json json = {{"name", volume.name}};
  auto [kind, source] = std::visit([](const auto& s) { return SourceOf(s); }, volume.source);
  if (!kind.empty()) json[kind] = std::move(source);
  return json;
}

Json JsonOf(const Toleration& toleration) {
  Json json = Json::object();
  Set(json, "key", toleration.key);
  Set(json, "operator", toleration.op);
  Set(json, "value", toleration.value);
  Set(json, "effect", toleration.effect);
  return json;
}

Json MetadataOf(const Pod& pod) {
  Json json = {{"name", pod.name}, {"namespace", pod.namespace_}};
  Set(json, "uid", pod.uid);
  Set(json, "labels", Json(pod.labels));
  Set(json, "annotations", Json(pod.annotations));
  return json;
}

Json SpecOf(const Pod& pod) {
  const auto container = [](const Container& c) { return JsonOf(c); };
  Json json = Json::object();
  Set(json, "volumes", JsonOfEach(pod.volumes, [](const Volume& v) { return JsonOf(v); }));
  Set(json, "initContainers", JsonOfEach(pod.init_containers, container));
  json["containers"] = JsonOfEach(pod.containers, container);
  json["restartPolicy"] = NameOf(pod.restart_policy);
  if (pod.termination_grace_period_seconds) {
    json["terminationGracePeriodSeconds"] = *pod.termination_grace_period_seconds;
  }
  SetTrue(json, "hostNetwork", pod.host_network);
  SetTrue(json, "hostPID", pod.host_pid);
  SetTrue(json, "hostIPC", pod.host_ipc);
  Set(json, "securityContext", JsonOf(pod.security_context));
  Set(json, "tolerations",
      JsonOfEach(pod.tolerations, [](const Toleration& t) { return JsonOf(t); }));
  Set(json, "priorityClassName", pod.priority_class_name);
  if (pod.priority) json["priority"] = *pod.priority;
  Set(json, "overhead", JsonOf(pod.overhead));
  // Present but empty is not absent: it makes the pod BestEffort.
  if (pod.resources) json["resources"] = JsonOf(*pod.resources);
  return json;
}

Json ApiObjectOf(const Pod& pod) {
  return {
      {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", MetadataOf(pod)}, {"spec", SpecOf(pod)}};
}

std::string TextOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string WritePod(const Pod& pod) {
  Json json = ApiObjectOf(pod);
  if (pod.status_qos_class) {
    json["status"]["qosClass"] = std::string(NameOf(*pod.status_qos_class));
  }
  return TextOf(json);
}

std::string WritePod(const Pod& pod, const PodOnNode& on_node) {
  Json json = ApiObjectOf(pod);
  if (!on_node.node_name.empty()) json["spec"]["nodeName"] = on_node.node_name;
  std::string text = TextOf(json);
  text.pop_back();
  return text + ",\"status\":" + on_node.status + "}";
}

}  // namespace jettison
