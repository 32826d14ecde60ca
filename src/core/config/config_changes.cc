#include "core/config/config_changes.h"

#include <cstdint>
#include <string>

#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

// When a change of a setting takes effect. That of a file's name does at once, but to add or remove
// the file needs a restart.
enum class Takes : std::uint8_t { kAtOnce, kFile, kRestart };

bool IsOneEmpty(const auto& running, const auto& read) {
  if constexpr (requires { running.empty(); }) return running.empty() != read.empty();
  return false;
}

}  // namespace

std::vector<Threshold> ThresholdsAtOnce(const AgentConfig& running, const AgentConfig& read) {
  const bool enforces = running.reservation.enforce_pods;
  if (enforces == read.reservation.enforce_pods) return read.eviction.thresholds;
  return enforces ? WithCopyForPods(read.eviction.thresholds)
                  : WithoutCopyForPods(read.eviction.thresholds);
}

HttpConfig WithFilesOf(HttpConfig running, const HttpConfig& read) {
  for (std::string HttpConfig::*file :
       {&HttpConfig::tls_cert_file, &HttpConfig::tls_private_key_file, &HttpConfig::client_ca_file,
        &HttpConfig::bearer_token_file}) {
    if (!(running.*file).empty() && !(read.*file).empty()) running.*file = read.*file;
  }
  return running;
}

// A setting that is not here is as the agent was started with it, and nothing is said of a change.
ConfigChanges ChangesOf(const AgentConfig& running, const AgentConfig& read) {
  ConfigChanges changes;
  AgentConfig& now = changes.config = running;
  using enum Takes;
  const auto compare = [&](Takes takes, std::string_view name, auto& held, const auto& set) {
    if (held == set) return;
    const bool stays = takes == Takes::kRestart || (takes == Takes::kFile && IsOneEmpty(held, set));
    (stays ? changes.need_restart : changes.at_once).push_back(name);
    if (!stays) held = set;
  };
  compare(kAtOnce, "eviction thresholds", now.eviction.thresholds, read.eviction.thresholds);
  compare(kAtOnce, "evictionPressureTransitionPeriod", now.eviction.pressure_transition_period,
          read.eviction.pressure_transition_period);
  compare(kAtOnce, "evictionMaxPodGracePeriod", now.eviction.max_pod_grace_period_seconds,
          read.eviction.max_pod_grace_period_seconds);
  compare(kAtOnce, "kubernetes.defaultMemoryThreshold", now.kubernetes.default_memory_threshold,
          read.kubernetes.default_memory_threshold);
  compare(kAtOnce, "threshold on memory of its own", now.own_memory_threshold,
          read.own_memory_threshold);
  compare(kAtOnce, "hooks", now.hooks, read.hooks);
  compare(kAtOnce, "logLevel", now.log_level, read.log_level);
  compare(kFile, "http.tlsCertFile", now.http.tls_cert_file, read.http.tls_cert_file);
  compare(kFile, "http.tlsPrivateKeyFile", now.http.tls_private_key_file,
          read.http.tls_private_key_file);
  compare(kFile, "http.clientCAFile", now.http.client_ca_file, read.http.client_ca_file);
  compare(kFile, "http.bearerTokenFile", now.http.bearer_token_file, read.http.bearer_token_file);
  compare(kRestart, "localStorageCapacityIsolation", now.eviction.local_storage_capacity_isolation,
          read.eviction.local_storage_capacity_isolation);
  compare(kRestart, "imageGC*", now.image_gc, read.image_gc);
  compare(kRestart, "kubeReserved", now.reservation.kube_reserved, read.reservation.kube_reserved);
  compare(kRestart, "systemReserved", now.reservation.system_reserved,
          read.reservation.system_reserved);
  compare(kRestart, "enforceNodeAllocatable", now.reservation.enforce_pods,
          read.reservation.enforce_pods);
  compare(kRestart, "kubeReservedCgroup", now.reservation.kube_enforced,
          read.reservation.kube_enforced);
  compare(kRestart, "systemReservedCgroup", now.reservation.system_enforced,
          read.reservation.system_enforced);
  compare(kRestart, "kernelMemcgNotification", now.kernel_memcg_notification,
          read.kernel_memcg_notification);
  compare(kRestart, "crashLoopBackOff", now.max_restart_backoff, read.max_restart_backoff);
  compare(kRestart, "staticPodPath", now.static_pod_path, read.static_pod_path);
  compare(kRestart, "fileCheckFrequency", now.file_check_frequency, read.file_check_frequency);
  compare(kRestart, "cgroupRoot", now.cgroup_root, read.cgroup_root);
  compare(kRestart, "cgroupDriver", now.cgroup_driver, read.cgroup_driver);
  compare(kRestart, "cgroupsPerQOS", now.cgroups_per_qos, read.cgroups_per_qos);
  compare(kRestart, "podPidsLimit", now.pod_pids_limit, read.pod_pids_limit);
  compare(kRestart, "cpuCFSQuota", now.cpu_quota, read.cpu_quota);
  compare(kRestart, "podLogsDir", now.logs.directory, read.logs.directory);
  compare(kRestart, "containerLogMaxSize", now.logs.max_size_bytes, read.logs.max_size_bytes);
  compare(kRestart, "containerLogMaxFiles", now.logs.max_files, read.logs.max_files);
  compare(kRestart, "oomScoreAdj", now.oom_score_adj, read.oom_score_adj);
  compare(kRestart, "containerRuntimeEndpoint", now.container_runtime_endpoint,
          read.container_runtime_endpoint);
  compare(kRestart, "imageServiceEndpoint", now.image_service_endpoint,
          read.image_service_endpoint);
  compare(kRestart, "runtimeRequestTimeout", now.runtime_request_timeout,
          read.runtime_request_timeout);
  compare(kRestart, "monitoringInterval", now.monitoring_interval, read.monitoring_interval);
  compare(kRestart, "evictionBackoff", now.eviction_backoff, read.eviction_backoff);
  compare(kRestart, "source", now.source, read.source);
  compare(kRestart, "kubernetes", now.kubernetes, read.kubernetes);
  compare(kRestart, "runtime", now.runtime, read.runtime);
  compare(kRestart, "adopt", now.adopt, read.adopt);
  compare(kRestart, "profile", now.profile, read.profile);
  compare(kRestart, "root", now.root, read.root);
  compare(kRestart, "nodeCgroup", now.node_cgroup, read.node_cgroup);
  compare(kRestart, "nodeFs", now.node_fs, read.node_fs);
  compare(kRestart, "nodeName", now.node_name, read.node_name);
  compare(kRestart, "memoryAvailable", now.memory_estimator, read.memory_estimator);
  compare(kRestart, "recording", now.recording, read.recording);
  compare(kRestart, "http.socket", now.http.socket, read.http.socket);
  compare(kRestart, "http.socketGroup", now.http.socket_group, read.http.socket_group);
  compare(kRestart, "http.address", now.http.address, read.http.address);
  compare(kRestart, "http.allowAnyLocalUser", now.http.allow_any_local_user,
          read.http.allow_any_local_user);
  compare(kRestart, "dryRun", now.dry_run, read.dry_run);
  compare(kRestart, "logFormat", now.json_logs, read.json_logs);
  return changes;
}

}  // namespace jettison
