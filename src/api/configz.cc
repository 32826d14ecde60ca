#include "api/configz.h"

#include <string_view>

#include "codec/recordings/policy_writer.h"
#include "core/model/redaction.h"

namespace jettison {
namespace {

// Members that a configuration leaves out where they say nothing.
void PutText(std::string_view name, const std::string& text, JsonWriter& json) {
  if (!text.empty()) json.Field(name, text);
}

void PutResources(std::string_view name, const ResourceList& resources, JsonWriter& json) {
  if (resources.empty()) return;
  json.Object(name, [&] {
    for (const auto& [resource, amount] : resources) json.Field(resource, amount.ToString());
  });
}

void PutGroup(std::string_view name, const std::optional<EnforcedReservation>& enforced,
              JsonWriter& json) {
  if (enforced) json.Field(name, "/" + enforced->group);
}

void WriteEnforcement(std::string_view what, const std::optional<EnforcedReservation>& enforced,
                      JsonWriter& json) {
  if (!enforced) return;
  json.String(std::string(what) + (enforced->compressible_only ? "-compressible" : ""));
}

void WriteReservation(const NodeReservation& reservation, JsonWriter& json) {
  PutResources("kubeReserved", reservation.kube_reserved, json);
  PutResources("systemReserved", reservation.system_reserved, json);
  PutGroup("kubeReservedCgroup", reservation.kube_enforced, json);
  PutGroup("systemReservedCgroup", reservation.system_enforced, json);
  json.Array("enforceNodeAllocatable", [&] {
    if (reservation.enforce_pods) json.String("pods");
    WriteEnforcement("kube-reserved", reservation.kube_enforced, json);
    WriteEnforcement("system-reserved", reservation.system_enforced, json);
    if (!reservation.enforce_pods && !reservation.kube_enforced && !reservation.system_enforced) {
      json.String("none");
    }
  });
}

void WriteImages(const ImageGcPolicy& policy, JsonWriter& json) {
  json.Field("imageMinimumGCAge", FormatDuration(policy.min_age));
  json.Field("imageMaximumGCAge", FormatDuration(policy.max_age));
  json.Field("imageGCHighThresholdPercent", policy.high_threshold_percent);
  json.Field("imageGCLowThresholdPercent", policy.low_threshold_percent);
}

void WriteLogs(const ContainerLogPolicy& logs, JsonWriter& json) {
  PutText("podLogsDir", logs.directory, json);
  json.Field("containerLogMaxSize",
             logs.max_size_bytes ? Quantity::Of(*logs.max_size_bytes).ToString() : "-1");
  json.Field("containerLogMaxFiles", logs.max_files);
}

void WriteGroups(const AgentConfig& config, JsonWriter& json) {
  PutText("cgroupRoot", config.cgroup_root, json);
  json.Field("cgroupsPerQOS", config.cgroups_per_qos);
  json.Field("cgroupDriver", NameOf(config.cgroup_driver));
  json.Field("podPidsLimit", config.pod_pids_limit.value_or(-1));
  json.Field("cpuCFSQuota", config.cpu_quota.enforced);
  json.Field("cpuCFSQuotaPeriod", FormatDuration(config.cpu_quota.period));
  json.Field("oomScoreAdj", config.oom_score_adj);
}

void WriteRuntime(const AgentConfig& config, JsonWriter& json) {
  json.Field("containerRuntimeEndpoint", config.container_runtime_endpoint);
  PutText("imageServiceEndpoint", config.image_service_endpoint, json);
  json.Field("runtimeRequestTimeout", FormatDuration(config.runtime_request_timeout));
  json.Object("crashLoopBackOff", [&] {
    json.Field("maxContainerRestartPeriod", FormatDuration(config.max_restart_backoff));
  });
}

void WriteEviction(const AgentConfig& config, JsonWriter& json) {
  WriteEvictionSettings(config.eviction.thresholds, json);
  json.Field("evictionPressureTransitionPeriod",
             FormatDuration(config.eviction.pressure_transition_period));
  json.Field("evictionMaxPodGracePeriod", config.eviction.max_pod_grace_period_seconds);
  json.Field("localStorageCapacityIsolation", config.eviction.local_storage_capacity_isolation);
  json.Field("kernelMemcgNotification", config.kernel_memcg_notification);
}

void WriteKubelet(const AgentConfig& config, JsonWriter& json) {
  json.Object([&] {
    json.Field("apiVersion", "kubelet.config.k8s.io/v1beta1");
    json.Field("kind", "KubeletConfiguration");
    PutText("staticPodPath", config.static_pod_path, json);
    json.Field("fileCheckFrequency", FormatDuration(config.file_check_frequency));
    WriteImages(config.image_gc, json);
    WriteGroups(config, json);
    WriteEviction(config, json);
    WriteReservation(config.reservation, json);
    WriteLogs(config.logs, json);
    WriteRuntime(config, json);
  });
}

void WriteHttp(const HttpConfig& http, JsonWriter& json) {
  json.Object("http", [&] {
    json.Field("socket", http.socket);
    PutText("socketGroup", http.socket_group, json);
    PutText("address", http.address, json);
    PutText("tlsCertFile", http.tls_cert_file, json);
    PutText("tlsPrivateKeyFile", http.tls_private_key_file, json);
    PutText("clientCAFile", http.client_ca_file, json);
    PutText("bearerTokenFile", http.bearer_token_file, json);
    if (http.allow_any_local_user) json.Field("allowAnyLocalUser", true);
  });
}

void WriteHook(const HookConfig& hook, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", hook.name);
    json.Array("when", [&] {
      for (const Occasion occasion : hook.when) json.String(NameOf(occasion));
    });
    if (!hook.exec.empty()) {
      json.Array("exec", [&] {
        for (const std::string& word : hook.exec) json.String(WithRedactedUrls(word));
      });
    }
    PutText("url", RedactedUrl(hook.url), json);
    json.Field("timeout", FormatDuration(hook.timeout));
    json.Field("minInterval", FormatDuration(hook.min_interval));
  });
}

void PutHooks(const std::vector<HookConfig>& hooks, JsonWriter& json) {
  if (hooks.empty()) return;
  json.Array("hooks", [&] {
    for (const HookConfig& hook : hooks) WriteHook(hook, json);
  });
}

// A runtime is of the agent's own pods, and beside a kubelet it has none.
void WriteSource(const AgentConfig& config, JsonWriter& json) {
  json.Field("source", NameOf(config.source));
  if (config.source == SourceKind::kManifests) {
    json.Field("runtime", NameOf(config.runtime));
    return;
  }
  const KubernetesConfig& kubernetes = config.kubernetes;
  json.Object("kubernetes", [&] {
    PutText("kubeconfig", kubernetes.kubeconfig, json);
    PutText("kubeletConfiguration", kubernetes.kubelet_configuration, json);
    json.Field("kubeletDirectory", kubernetes.kubelet_directory);
    json.Field("collectImages", kubernetes.collect_images);
    json.Field("defaultMemoryThreshold", kubernetes.default_memory_threshold);
    json.Field("evictDaemonSets", kubernetes.evict_daemon_sets);
    json.Field("jobs", NameOf(kubernetes.jobs));
    json.Field("softEvictionsPerHour", kubernetes.soft_evictions_per_hour);
    json.Field("softEvictionCoolDown", FormatDuration(kubernetes.soft_eviction_cool_down));
  });
}

void WriteOwn(const AgentConfig& config, JsonWriter& json) {
  json.Object([&] {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "JettisonConfiguration");
    WriteSource(config, json);
    json.Field("adopt", NameOf(config.adopt));
    json.Field("profile", NameOf(config.profile));
    json.Field("root", config.root);
    PutText("nodeCgroup", config.node_cgroup, json);
    PutText("nodeFs", config.node_fs, json);
    PutText("nodeName", config.node_name, json);
    json.Field("memoryAvailable", NameOf(config.memory_estimator));
    json.Field("monitoringInterval", FormatDuration(config.monitoring_interval));
    json.Object("evictionBackoff", [&] {
      json.Field("initial", FormatDuration(config.eviction_backoff.initial));
      json.Field("max", FormatDuration(config.eviction_backoff.max));
    });
    WriteOwnSettings(config.eviction.thresholds, json);
    PutHooks(config.hooks, json);
    WriteHttp(config.http, json);
    json.Object("recording", [&] {
      json.Field("enabled", config.recording.enabled);
      json.Field("maxSize", Quantity::Of(config.recording.max_bytes).ToString());
      json.Field("maxAge", FormatDuration(config.recording.max_age));
    });
    json.Field("dryRun", config.dry_run);
    json.Field("logLevel", NameOf(config.log_level));
    json.Field("logFormat", config.json_logs ? "json" : "text");
  });
}

}  // namespace

void WriteConfigz(const AgentConfig& config, JsonWriter& json) {
  json.Key("kubeletconfig");
  WriteKubelet(config, json);
  json.Key("jettisonconfig");
  WriteOwn(config, json);
}

std::string ConfigzJson(const AgentConfig& config) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] { WriteConfigz(config, json); });
  text += '\n';
  return text;
}

}  // namespace jettison
