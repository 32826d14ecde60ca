#include "codec/kubernetes/pod_writer.h"

#include <variant>

#include "core/json/json_writer.h"

namespace jettison {
namespace {

// A member, unless it would say nothing.
void Put(std::string_view name, const std::string& text, JsonWriter& json) {
  if (!text.empty()) json.Field(name, text);
}
void PutTrue(std::string_view name, bool value, JsonWriter& json) {
  if (value) json.Field(name, true);
}
template <typename T, typename Write>
void PutEach(std::string_view name, const std::vector<T>& items, JsonWriter& json, Write write) {
  json.ArrayUnlessEmpty(name, [&] {
    for (const T& item : items) write(item, json);
  });
}
void Put(std::string_view name, const std::vector<std::string>& texts, JsonWriter& json) {
  PutEach(name, texts, json, [](const std::string& text, JsonWriter& out) { out.String(text); });
}
template <typename Texts>
void PutTexts(std::string_view name, const Texts& texts, JsonWriter& json) {
  json.ObjectUnlessEmpty(name, [&] {
    for (const auto& [key, text] : texts) json.Field(key, text);
  });
}

void Put(std::string_view name, const ResourceList& list, JsonWriter& json) {
  json.ObjectUnlessEmpty(name, [&] {
    for (const auto& [resource, amount] : list) json.Field(resource, amount.ToExactString());
  });
}

void WriteResources(const ResourceRequirements& resources, JsonWriter& json) {
  Put("limits", resources.limits, json);
  Put("requests", resources.requests, json);
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

void PutSeccompProfile(const std::optional<SeccompProfile>& profile, JsonWriter& json) {
  if (!profile) return;
  json.Object("seccompProfile", [&] {
    json.Field("type", *profile == SeccompProfile::kUnconfined ? "Unconfined" : "RuntimeDefault");
  });
}

void Put(std::string_view name, const SecurityContext& context, JsonWriter& json) {
  json.ObjectUnlessEmpty(name, [&] {
    json.Field("runAsUser", context.run_as_user);
    json.Field("runAsGroup", context.run_as_group);
    json.Field("runAsNonRoot", context.run_as_non_root);
    PutTrue("privileged", context.privileged, json);
    if (!context.allow_privilege_escalation) json.Field("allowPrivilegeEscalation", false);
    PutTrue("readOnlyRootFilesystem", context.read_only_root_filesystem, json);
    json.ObjectUnlessEmpty("capabilities", [&] {
      Put("add", context.capabilities.add, json);
      Put("drop", context.capabilities.drop, json);
    });
    PutSeccompProfile(context.seccomp_profile, json);
  });
}

void Put(std::string_view name, const PodSecurityContext& context, JsonWriter& json) {
  json.ObjectUnlessEmpty(name, [&] {
    json.Field("runAsUser", context.run_as_user);
    json.Field("runAsGroup", context.run_as_group);
    json.Field("runAsNonRoot", context.run_as_non_root);
    PutEach("supplementalGroups", context.supplemental_groups, json,
            [](std::int64_t group, JsonWriter& out) { out.Number(group); });
    json.Field("fsGroup", context.fs_group);
    PutSeccompProfile(context.seccomp_profile, json);
  });
}

void WriteVariable(const EnvVar& variable, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", variable.name);
    Put("value", variable.value, json);
  });
}

void WriteMount(const VolumeMount& mount, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", mount.name);
    json.Field("mountPath", mount.mount_path);
    Put("subPath", mount.sub_path, json);
    PutTrue("readOnly", mount.read_only, json);
  });
}

void WritePreStop(const ExecAction& pre_stop, JsonWriter& json) {
  json.Object("lifecycle", [&] {
    json.Object("preStop",
                [&] { json.Object("exec", [&] { json.Strings("command", pre_stop.command); }); });
  });
}

void WriteContainer(const Container& container, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", container.name);
    Put("image", container.image, json);
    if (container.image_pull_policy) {
      json.Field("imagePullPolicy", NameOf(*container.image_pull_policy));
    }
    Put("command", container.command, json);
    Put("args", container.args, json);
    Put("workingDir", container.working_dir, json);
    PutEach("env", container.env, json, &WriteVariable);
    PutEach("volumeMounts", container.volume_mounts, json, &WriteMount);
    json.ObjectUnlessEmpty("resources", [&] { WriteResources(container.resources, json); });
    if (container.restart_policy) json.Field("restartPolicy", NameOf(*container.restart_policy));
    if (container.pre_stop) WritePreStop(*container.pre_stop, json);
    Put("securityContext", container.security_context, json);
  });
}

// What a volume is made of, under the name of its kind.
class SourceWriter {
 public:
  explicit SourceWriter(JsonWriter& json) : json_(json) {}

  void operator()(const EmptyDirSource& source) const {
    json_.Object("emptyDir", [&] {
      Put("medium", source.medium, json_);
      if (source.size_limit) json_.Field("sizeLimit", source.size_limit->ToExactString());
    });
  }
  void operator()(const HostPathSource& source) const {
    json_.Object("hostPath", [&] {
      json_.Field("path", source.path);
      Put("type", source.type, json_);
    });
  }
  void operator()(const ConfigMapSource& source) const {
    json_.Object("configMap", [&] {
      json_.Field("name", source.name);
      PutTrue("optional", source.optional, json_);
    });
  }
  void operator()(const SecretSource& source) const {
    json_.Object("secret", [&] {
      json_.Field("secretName", source.secret_name);
      PutTrue("optional", source.optional, json_);
    });
  }
  void operator()(const GitRepoSource&) const {
    json_.Object("gitRepo", [] {});
  }
  void operator()(const OtherVolumeSource& source) const {
    if (!source.kind.empty()) json_.Object(source.kind, [] {});
  }

 private:
  JsonWriter& json_;
};

void WriteVolume(const Volume& volume, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", volume.name);
    std::visit(SourceWriter(json), volume.source);
  });
}

void WriteToleration(const Toleration& toleration, JsonWriter& json) {
  json.Object([&] {
    Put("key", toleration.key, json);
    Put("operator", toleration.op, json);
    Put("value", toleration.value, json);
    Put("effect", toleration.effect, json);
  });
}

void WriteMetadata(const Pod& pod, JsonWriter& json) {
  json.Object("metadata", [&] {
    json.Field("name", pod.name);
    json.Field("namespace", pod.namespace_);
    Put("uid", pod.uid, json);
    PutTexts("labels", pod.labels, json);
    PutTexts("annotations", pod.annotations, json);
  });
}

void WriteSpec(const Pod& pod, std::string_view node_name, JsonWriter& json) {
  json.Object("spec", [&] {
    PutEach("volumes", pod.volumes, json, &WriteVolume);
    PutEach("initContainers", pod.init_containers, json, &WriteContainer);
    json.Array("containers", [&] {
      for (const Container& container : pod.containers) WriteContainer(container, json);
    });
    json.Field("restartPolicy", NameOf(pod.restart_policy));
    json.Field("terminationGracePeriodSeconds", pod.termination_grace_period_seconds);
    PutTrue("hostNetwork", pod.host_network, json);
    PutTrue("hostPID", pod.host_pid, json);
    PutTrue("hostIPC", pod.host_ipc, json);
    Put("securityContext", pod.security_context, json);
    PutEach("tolerations", pod.tolerations, json, &WriteToleration);
    Put("priorityClassName", pod.priority_class_name, json);
    json.Field("priority", pod.priority);
    Put("overhead", pod.overhead, json);
    // Present but empty is not absent: it makes the pod BestEffort.
    if (pod.resources) json.Object("resources", [&] { WriteResources(*pod.resources, json); });
    if (!node_name.empty()) json.Field("nodeName", node_name);
  });
}

// `status`: of a PodStatus, written; empty: none.
std::string ApiObject(const Pod& pod, std::string_view node_name, std::string_view status) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("apiVersion", "v1");
    json.Field("kind", "Pod");
    WriteMetadata(pod, json);
    WriteSpec(pod, node_name, json);
    if (status.empty()) return;
    json.Key("status");
    json.Json(status);
  });
}

}  // namespace

std::string WritePod(const Pod& pod) {
  std::string status;
  JsonWriter json(status);
  if (pod.status_qos_class) {
    json.Object([&] { json.Field("qosClass", NameOf(*pod.status_qos_class)); });
  }
  return ApiObject(pod, "", status);
}

std::string WritePod(const Pod& pod, const PodOnNode& on_node) {
  return ApiObject(pod, on_node.node_name, on_node.status);
}

}  // namespace jettison
