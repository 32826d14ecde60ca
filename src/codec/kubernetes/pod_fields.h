#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "core/json/json_writer.h"
#include "core/model/pod.h"

namespace jettison {

// The fields of a core/v1 Pod, each once, for the reader and the writer. They are written in this
// order, which must stay: the UID of a manifest's pod is a hash of what is written.
//
// Beside fields(name, value), which leaves out what says nothing, both archives know these:
//   fields.Always(name, value)            is written although it is empty
//   fields.Id(name, number)               the number of a user or a group, or a list of them
//   fields.Word(name, value, words)       an enumerator by its place among the words
//   fields.TrueByDefault(name, flag)
//   fields.Inside(name, visit)            fields of a map inside, kept in the same value
//   fields.Unsupported(name, advice)      must not be set in a manifest
//   fields.HostPorts(name)                ports, which are a remark unless they are of the host
//   fields.Ignored(names...)              is set by a cluster, or asks for what happens anyway
//   fields.IgnoreOthers()                 without a warning

inline constexpr std::array<std::string_view, 3> kRestartPolicies = {"Always", "OnFailure",
                                                                     "Never"};
inline constexpr std::array<std::string_view, 3> kPullPolicies = {"Always", "IfNotPresent",
                                                                  "Never"};

// The name of the field that has a volume's source; empty: none has.
[[nodiscard]] inline std::string_view KindOfSource(const VolumeSource& source) {
  if (const auto* other = std::get_if<OtherVolumeSource>(&source)) return other->kind;
  constexpr std::array<std::string_view, 5> kKinds = {"emptyDir", "hostPath", "configMap", "secret",
                                                      "gitRepo"};
  return kKinds[source.index()];
}

template <typename Archive, FormOf<EnvVar> T>
void VisitFields(Archive& fields, T& variable) {
  fields.Always("name", variable.name);
  fields("value", variable.value);
  fields.Unsupported("valueFrom", "give the variable a literal `value`");
}

template <typename Archive, FormOf<VolumeMount> T>
void VisitFields(Archive& fields, T& mount) {
  fields.Always("name", mount.name);
  fields.Always("mountPath", mount.mount_path);
  fields("subPath", mount.sub_path);
  fields("readOnly", mount.read_only);
}

template <typename Archive, FormOf<ResourceRequirements> T>
void VisitFields(Archive& fields, T& resources) {
  fields("limits", resources.limits);
  fields("requests", resources.requests);
}

template <typename Archive, FormOf<ExecAction> T>
void VisitFields(Archive& fields, T& action) {
  fields.Always("command", action.command);
  fields.IgnoreOthers();
}

template <typename Archive, FormOf<Capabilities> T>
void VisitFields(Archive& fields, T& capabilities) {
  fields("add", capabilities.add);
  fields("drop", capabilities.drop);
}

template <typename Archive, FormOf<SecurityContext> T>
void VisitFields(Archive& fields, T& context) {
  fields.Id("runAsUser", context.run_as_user);
  fields.Id("runAsGroup", context.run_as_group);
  fields("runAsNonRoot", context.run_as_non_root);
  fields("privileged", context.privileged);
  fields.TrueByDefault("allowPrivilegeEscalation", context.allow_privilege_escalation);
  fields("readOnlyRootFilesystem", context.read_only_root_filesystem);
  fields("capabilities", context.capabilities);
  fields("seccompProfile", context.seccomp_profile);
}

template <typename Archive, FormOf<PodSecurityContext> T>
void VisitFields(Archive& fields, T& context) {
  fields.Id("runAsUser", context.run_as_user);
  fields.Id("runAsGroup", context.run_as_group);
  fields("runAsNonRoot", context.run_as_non_root);
  fields.Id("supplementalGroups", context.supplemental_groups);
  fields.Id("fsGroup", context.fs_group);
  fields("seccompProfile", context.seccomp_profile);
}

template <typename Archive, FormOf<Container> T>
void VisitFields(Archive& fields, T& container) {
  fields.Always("name", container.name);
  fields("image", container.image);
  fields.Word("imagePullPolicy", container.image_pull_policy, kPullPolicies);
  fields("command", container.command);
  fields("args", container.args);
  fields("workingDir", container.working_dir);
  fields("env", container.env);
  fields.Unsupported("envFrom", "write the variables into `env`");
  fields("volumeMounts", container.volume_mounts);
  fields("resources", container.resources);
  fields.Word("restartPolicy", container.restart_policy, kRestartPolicies);
  fields.Inside("lifecycle", [&](auto& lifecycle) {
    lifecycle.Inside("preStop", [&](auto& hook) { hook("exec", container.pre_stop); });
  });
  fields("securityContext", container.security_context);
  fields.HostPorts("ports");
  fields.Ignored("terminationMessagePath", "terminationMessagePolicy", "resizePolicy");
}

template <typename Archive, FormOf<EmptyDirSource> T>
void VisitFields(Archive& fields, T& source) {
  fields("medium", source.medium);
  fields("sizeLimit", source.size_limit);
}

template <typename Archive, FormOf<HostPathSource> T>
void VisitFields(Archive& fields, T& source) {
  fields.Always("path", source.path);
  fields("type", source.type);
}

// defaultMode and items would give the files other rights and names than they get here.
template <typename Archive, FormOf<ConfigMapSource> T>
void VisitFields(Archive& fields, T& source) {
  fields.Always("name", source.name);
  fields("optional", source.optional);
}

template <typename Archive, FormOf<SecretSource> T>
void VisitFields(Archive& fields, T& source) {
  fields.Always("secretName", source.secret_name);
  fields("optional", source.optional);
}

template <typename Archive, FormOf<GitRepoSource> T>
void VisitFields(Archive& fields, T& /*source*/) {
  fields.IgnoreOthers();
}

template <typename Archive, FormOf<OtherVolumeSource> T>
void VisitFields(Archive& fields, T& /*source*/) {
  fields.IgnoreOthers();
}

template <typename Archive, FormOf<Toleration> T>
void VisitFields(Archive& fields, T& toleration) {
  fields("key", toleration.key);
  fields("operator", toleration.op);
  fields("value", toleration.value);
  fields("effect", toleration.effect);
  fields.IgnoreOthers();
}

// `metadata` and `spec` of a pod. What has no meaning without a cluster is passed over in silence.
template <typename Archive, FormOf<Pod> T>
void VisitPodMetadata(Archive& fields, T& pod) {
  fields.Always("name", pod.name);
  fields.Always("namespace", pod.namespace_);
  fields("uid", pod.uid);
  fields("labels", pod.labels);
  fields("annotations", pod.annotations);
  fields.Ignored("generateName", "creationTimestamp", "resourceVersion", "generation",
                 "ownerReferences", "finalizers", "managedFields", "deletionTimestamp",
                 "deletionGracePeriodSeconds", "selfLink");
}

template <typename Archive, FormOf<Pod> T>
void VisitPodSpec(Archive& fields, T& pod) {
  fields("volumes", pod.volumes);
  fields("initContainers", pod.init_containers);
  fields.Always("containers", pod.containers);
  fields.Word("restartPolicy", pod.restart_policy, kRestartPolicies);
  fields("terminationGracePeriodSeconds", pod.termination_grace_period_seconds);
  fields("hostNetwork", pod.host_network);
  fields("hostPID", pod.host_pid);
  fields("hostIPC", pod.host_ipc);
  fields("securityContext", pod.security_context);
  fields("tolerations", pod.tolerations);
  fields("priorityClassName", pod.priority_class_name);
  fields("priority", pod.priority);
  fields("overhead", pod.overhead);
  // Present but empty is not absent: it makes the pod BestEffort.
  fields("resources", pod.resources);
  fields.Ignored("affinity", "nodeName", "automountServiceAccountToken", "nodeSelector",
                 "dnsPolicy", "preemptionPolicy", "enableServiceLinks", "schedulerName",
                 "imagePullSecrets", "serviceAccount", "serviceAccountName", "schedulingGates",
                 "topologySpreadConstraints");
}

}  // namespace jettison
