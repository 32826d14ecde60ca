#include "core/config/config_changes.h"

#include <utility>

#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

// Fails to compile when a setting is added, so that its author decides here whether it takes effect
// at once. Of these members each setting is compared by itself.
[[maybe_unused]] void KnowsEverySetting(const AgentConfig& config) {
  [[maybe_unused]] const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15,
                                a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28,
                                a29, a30, a31, a32, a33, a34, a35, a36, a37] = config;
  [[maybe_unused]] const auto& [e1, e2, e3, e4] = config.eviction;
  [[maybe_unused]] const auto& [n1, n2, n3, n4, n5] = config.reservation;
  [[maybe_unused]] const auto& [l1, l2, l3] = config.logs;
  [[maybe_unused]] const auto& [h1, h2, h3, h4, h5, h6, h7, h8] = config.http;
}

class Comparison {
 public:
  Comparison(const AgentConfig& running, const AgentConfig& read) : read_(read) {
    changes_.config = running;
  }

  // `member` finds the setting in a configuration.
  template <typename Member>
  void AtOnce(std::string_view name, const Member& member) {
    if (member(changes_.config) == member(read_)) return;
    changes_.at_once.push_back(name);
    member(changes_.config) = member(read_);
  }
  template <typename Member>
  void AfterRestart(std::string_view name, const Member& member) {
    if (member(changes_.config) != member(read_)) changes_.need_restart.push_back(name);
  }
  // The name of a file: a different name takes effect at once, but to add or remove the file needs
  // a restart.
  template <typename Member>
  void FileAtOnce(std::string_view name, const Member& member) {
    if (member(changes_.config).empty() != member(read_).empty()) {
      changes_.need_restart.push_back(name);
    } else {
      AtOnce(name, member);
    }
  }
  [[nodiscard]] ConfigChanges Take() { return std::move(changes_); }

 private:
  const AgentConfig& read_;
  ConfigChanges changes_;
};

// Finds a member in a configuration, whether it may be changed or not.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define JETTISON_SETTING(member) \
  [](auto& config) -> auto& {    \
    return config.member;        \
  }
// NOLINTEND(bugprone-macro-parentheses)

void CompareAtOnce(Comparison& settings) {
  settings.AtOnce("eviction thresholds", JETTISON_SETTING(eviction.thresholds));
  settings.AtOnce("evictionPressureTransitionPeriod",
                  JETTISON_SETTING(eviction.pressure_transition_period));
  settings.AtOnce("evictionMaxPodGracePeriod",
                  JETTISON_SETTING(eviction.max_pod_grace_period_seconds));
  settings.AtOnce("kubernetes.defaultMemoryThreshold",
                  JETTISON_SETTING(kubernetes.default_memory_threshold));
  settings.AtOnce("threshold on memory of its own", JETTISON_SETTING(own_memory_threshold));
  settings.AtOnce("hooks", JETTISON_SETTING(hooks));
  settings.AtOnce("logLevel", JETTISON_SETTING(log_level));
  settings.FileAtOnce("http.tlsCertFile", JETTISON_SETTING(http.tls_cert_file));
  settings.FileAtOnce("http.tlsPrivateKeyFile", JETTISON_SETTING(http.tls_private_key_file));
  settings.FileAtOnce("http.clientCAFile", JETTISON_SETTING(http.client_ca_file));
  settings.FileAtOnce("http.bearerTokenFile", JETTISON_SETTING(http.bearer_token_file));
}

void CompareOfKubelet(Comparison& settings) {
  settings.AfterRestart("localStorageCapacityIsolation",
                        JETTISON_SETTING(eviction.local_storage_capacity_isolation));
  settings.AfterRestart("imageGC*", JETTISON_SETTING(image_gc));
  settings.AfterRestart("kubeReserved", JETTISON_SETTING(reservation.kube_reserved));
  settings.AfterRestart("systemReserved", JETTISON_SETTING(reservation.system_reserved));
  settings.AfterRestart("enforceNodeAllocatable", JETTISON_SETTING(reservation.enforce_pods));
  settings.AfterRestart("kubeReservedCgroup", JETTISON_SETTING(reservation.kube_enforced));
  settings.AfterRestart("systemReservedCgroup", JETTISON_SETTING(reservation.system_enforced));
  settings.AfterRestart("kernelMemcgNotification", JETTISON_SETTING(kernel_memcg_notification));
  settings.AfterRestart("crashLoopBackOff", JETTISON_SETTING(max_restart_backoff));
  settings.AfterRestart("staticPodPath", JETTISON_SETTING(static_pod_path));
  settings.AfterRestart("fileCheckFrequency", JETTISON_SETTING(file_check_frequency));
  settings.AfterRestart("cgroupRoot", JETTISON_SETTING(cgroup_root));
  settings.AfterRestart("cgroupDriver", JETTISON_SETTING(cgroup_driver));
  settings.AfterRestart("cgroupsPerQOS", JETTISON_SETTING(cgroups_per_qos));
  settings.AfterRestart("podPidsLimit", JETTISON_SETTING(pod_pids_limit));
  settings.AfterRestart("cpuCFSQuota", JETTISON_SETTING(cpu_quota));
  settings.AfterRestart("podLogsDir", JETTISON_SETTING(logs.directory));
  settings.AfterRestart("containerLogMaxSize", JETTISON_SETTING(logs.max_size_bytes));
  settings.AfterRestart("containerLogMaxFiles", JETTISON_SETTING(logs.max_files));
  settings.AfterRestart("oomScoreAdj", JETTISON_SETTING(oom_score_adj));
  settings.AfterRestart("containerRuntimeEndpoint", JETTISON_SETTING(container_runtime_endpoint));
  settings.AfterRestart("imageServiceEndpoint", JETTISON_SETTING(image_service_endpoint));
  settings.AfterRestart("runtimeRequestTimeout", JETTISON_SETTING(runtime_request_timeout));
}

void CompareOurOwn(Comparison& settings) {
  settings.AfterRestart("monitoringInterval", JETTISON_SETTING(monitoring_interval));
  settings.AfterRestart("evictionBackoff", JETTISON_SETTING(eviction_backoff));
  settings.AfterRestart("source", JETTISON_SETTING(source));
  settings.AfterRestart("kubernetes", JETTISON_SETTING(kubernetes));
  settings.AfterRestart("runtime", JETTISON_SETTING(runtime));
  settings.AfterRestart("adopt", JETTISON_SETTING(adopt));
  settings.AfterRestart("profile", JETTISON_SETTING(profile));
  settings.AfterRestart("root", JETTISON_SETTING(root));
  settings.AfterRestart("nodeCgroup", JETTISON_SETTING(node_cgroup));
  settings.AfterRestart("nodeFs", JETTISON_SETTING(node_fs));
  settings.AfterRestart("nodeName", JETTISON_SETTING(node_name));
  settings.AfterRestart("memoryAvailable", JETTISON_SETTING(memory_estimator));
  settings.AfterRestart("recording", JETTISON_SETTING(recording));
  settings.AfterRestart("http.socket", JETTISON_SETTING(http.socket));
  settings.AfterRestart("http.socketGroup", JETTISON_SETTING(http.socket_group));
  settings.AfterRestart("http.address", JETTISON_SETTING(http.address));
  settings.AfterRestart("http.allowAnyLocalUser", JETTISON_SETTING(http.allow_any_local_user));
  settings.AfterRestart("dryRun", JETTISON_SETTING(dry_run));
  settings.AfterRestart("logFormat", JETTISON_SETTING(json_logs));
}

#undef JETTISON_SETTING

}  // namespace

std::vector<Threshold> ThresholdsAtOnce(const AgentConfig& running, const AgentConfig& read) {
  const bool enforces = running.reservation.enforce_pods;
  if (enforces == read.reservation.enforce_pods) return read.eviction.thresholds;
  return enforces ? WithCopyForPods(read.eviction.thresholds)
                  : WithoutCopyForPods(read.eviction.thresholds);
}

ConfigChanges ChangesOf(const AgentConfig& running, const AgentConfig& read) {
  Comparison settings(running, read);
  CompareAtOnce(settings);
  CompareOfKubelet(settings);
  CompareOurOwn(settings);
  return settings.Take();
}

}  // namespace jettison
