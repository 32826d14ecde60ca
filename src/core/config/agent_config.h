#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/choices.h"
#include "core/model/pod.h"
#include "core/model/runtime_records.h"
#include "core/model/threshold.h"
#include "core/text/enum_names.h"
#include "core/units/duration.h"

namespace jettison {

// The events that a hook may be called for.
enum class Occasion : std::uint8_t {
  kConditionChange,  // a condition of the node has changed
  kBeforeEviction,   // a pod has just been told to end; the eviction does not wait for the hook
  kAfterEviction,    // the evicted pod is gone from the node, or the wait for it is over
};
template <>
inline constexpr auto kNamesOf<Occasion> = EnumNames("ConditionChange", "BeforeEviction",
                                                     "AfterEviction");

// A program or a URL that is called when something happens on the node. Either `exec` or `url` is
// set.
struct HookConfig {
  std::string name;               // for the log
  std::vector<Occasion> when;     // never empty
  std::vector<std::string> exec;  // a program's absolute path and its arguments
  std::string url;                // "http://host:port/path", "https://..."
  Duration timeout = std::chrono::seconds(5);
  Duration min_interval = std::chrono::seconds(1);  // between two calls, after a burst
  friend bool operator==(const HookConfig&, const HookConfig&) = default;
};

// Where the agent serves HTTP and who may ask: `http` of JettisonConfiguration. An empty text means
// none; the paths are absolute.
struct HttpConfig {
  std::string socket = "/run/jettison/jettison.sock";
  std::string socket_group;  // a name or a number
  std::string address;       // "127.0.0.1:10350", "[::1]:10350"
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string client_ca_file;
  std::string bearer_token_file;
  // On loopback, without the two settings above: whether every user of the machine may ask, instead
  // of only those who have the token that the agent creates.
  bool allow_any_local_user = false;

  // Whether the agent creates its own token for TCP.
  [[nodiscard]] bool WantsOwnToken() const {
    return !address.empty() && bearer_token_file.empty() && client_ca_file.empty() &&
           !allow_any_local_user;
  }
};

// What the agent writes down of its passes, and for how long: `recording` of JettisonConfiguration.
struct RecordingConfig {
  bool enabled = true;
  std::int64_t max_bytes = std::int64_t{64} << 20;  // of all files together
  Duration max_age = std::chrono::hours(24 * 14);
  friend bool operator==(const RecordingConfig&, const RecordingConfig&) = default;
};

// Where the pods of the node come from.
enum class SourceKind : std::uint8_t {
  kManifests,   // the agent's own, from `staticPodPath`
  kKubernetes,  // a kubelet's on this node: the agent runs none itself
};
template <>
inline constexpr auto kNamesOf<SourceKind> = EnumNames("manifests", "kubernetes");

// How the pods of Jobs are ended. A program that exits with 0 on SIGTERM completes its Job, though
// its work is not done.
enum class JobEnding : std::uint8_t {
  kKill,       // SIGKILL at once
  kTerminate,  // like any other pod: SIGTERM, and SIGKILL after the grace period
};
template <>
inline constexpr auto kNamesOf<JobEnding> = EnumNames("kill", "terminate");

// How the agent works with a cluster and with the kubelet on its node: `kubernetes` of
// JettisonConfiguration. The paths are absolute.
struct KubernetesConfig {
  std::string kubeconfig;             // empty: the service account of the pod that it runs in
  std::string kubelet_configuration;  // the kubelet's file; empty: the kubelet is asked (configz)
  std::string kubelet_directory = "/var/lib/kubelet";  // where it keeps the volumes of pods
  // Whether the agent has a threshold on memory of its own where the kubelet has none.
  bool default_memory_threshold = true;
  bool evict_daemon_sets = false;  // whether their pods may be evicted
  JobEnding jobs = JobEnding::kKill;
  bool collect_images = false;  // whether the agent removes unused images, as the kubelet does
  std::int64_t soft_evictions_per_hour = 20;                   // at most, on this node
  Duration soft_eviction_cool_down = std::chrono::minutes(1);  // after one; zero: none
  friend bool operator==(const KubernetesConfig&, const KubernetesConfig&) = default;
};

// What runs containers.
enum class RuntimeKind : std::uint8_t { kProcess, kCri };
template <>
inline constexpr auto kNamesOf<RuntimeKind> = EnumNames("process", "cri");

// What becomes of foreign pods on the same container runtime.
enum class AdoptPolicy : std::uint8_t {
  kNone,     // ignored
  kObserve,  // measured and shown, never evicted
  kEvict,    // evicted like any other pod
};
template <>
inline constexpr auto kNamesOf<AdoptPolicy> = EnumNames("none", "observe", "evict");

// How long an evicted pod stays away before it is started again; doubles while it keeps being
// evicted.
struct EvictionBackoff {
  Duration initial = std::chrono::seconds(10);
  Duration max = std::chrono::minutes(5);
  friend bool operator==(const EvictionBackoff&, const EvictionBackoff&) = default;
};

// How long a container that keeps ending waits at most before it is started again.
struct RestartBackoff {
  Duration max = std::chrono::minutes(5);
};

// Where container logs go and when they are rotated.
struct ContainerLogPolicy {
  std::string directory;  // holds <namespace>_<name>_<uid>/<container>/N.log
  // A larger file is rotated; absent: never (a negative containerLogMaxSize).
  std::optional<std::int64_t> max_size_bytes = std::int64_t{10} << 20;
  int max_files = 5;  // the one being written included
};

// A group of the system that is limited to what is reserved for it.
struct EnforcedReservation {
  std::string group;               // below the node's own: "system.slice"
  bool compressible_only = false;  // only CPU (enforceNodeAllocatable has "...-compressible")
  friend bool operator==(const EnforcedReservation&, const EnforcedReservation&) = default;
};

// What is reserved from pods, and whether control group limits enforce it.
struct NodeReservation {
  ResourceList kube_reserved;    // "cpu", "memory", "ephemeral-storage", "pid"
  ResourceList system_reserved;  // the same
  bool enforce_pods = true;      // enforceNodeAllocatable has "pods": their group gets a limit
  std::optional<EnforcedReservation> kube_enforced = std::nullopt;    // kubeReservedCgroup
  std::optional<EnforcedReservation> system_enforced = std::nullopt;  // systemReservedCgroup
};

// CPU quota of containers with a CPU limit.
struct CpuQuotaPolicy {
  bool enforced = true;
  Duration period = std::chrono::milliseconds(100);
  friend bool operator==(const CpuQuotaPolicy&, const CpuQuotaPolicy&) = default;
};

// Everything that `jettison run` is told, with every default filled in and every rule checked.
// A field says in brackets which configuration it comes from: K, KubeletConfiguration under the
// same name, J, JettisonConfiguration.
struct AgentConfig {
  EvictionPolicy eviction;      // [K] eviction*, localStorageCapacityIsolation; [J] pressure*
  ImageGcPolicy image_gc;       // [K] image*GCAge, imageGC*ThresholdPercent
  NodeReservation reservation;  // [K] kubeReserved, systemReserved, enforceNodeAllocatable
  bool kernel_memcg_notification = false;                    // [K]
  Duration monitoring_interval = std::chrono::seconds(10);   // [J] from pass to pass
  EvictionBackoff eviction_backoff;                          // [J]
  RestartBackoff restart_backoff;                            // [K] crashLoopBackOff
  std::string static_pod_path;                               // [K] absolute; empty: no pods
  Duration file_check_frequency = std::chrono::seconds(20);  // [K]
  std::string cgroup_root;                               // [K] below the node's group: "" or "/a/b"
  CgroupDriver cgroup_driver = CgroupDriver::kCgroupfs;  // [K]
  std::optional<std::int64_t> pod_pids_limit;            // [K] absent: no limit of its own
  CpuQuotaPolicy cpu_quota;                              // [K] cpuCFSQuota, cpuCFSQuotaPeriod
  ContainerLogPolicy logs;   // [K] containerLogMax*, podLogsDir; unless set, <root>/logs
  int oom_score_adj = -999;  // [K] of the agent itself
  std::string container_runtime_endpoint = "unix:///run/containerd/containerd.sock";  // [K]
  Duration runtime_request_timeout = std::chrono::minutes(2);                         // [K]

  SourceKind source = SourceKind::kManifests;  // [J]
  KubernetesConfig kubernetes;                 // [J] where that is the source
  bool own_memory_threshold = false;  // no setting: the kubelet has none, and the agent has one
  RuntimeKind runtime = RuntimeKind::kProcess;  // [J] of the agent's own pods
  AdoptPolicy adopt = AdoptPolicy::kObserve;    // [J]
  Profile profile = Profile::kStandalone;       // [J]
  std::string root = "/var/lib/jettison";       // [J] the agent's own files
  std::string node_cgroup;  // [J] "/a/b" makes this group the node; empty: the whole machine
  std::string node_fs;      // [J] a path on the file system that is nodefs; unless set, `root`
  std::string node_name;    // [J] empty: the caller's host name
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;  // [J] memoryAvailable
  std::vector<HookConfig> hooks;                                    // [J]
  HttpConfig http;                                                  // [J]
  RecordingConfig recording;                                        // [J]
  bool dry_run = false;                                             // [J]
  LogLevel log_level = LogLevel::kInfo;  // [J] less important lines are not written
  bool json_logs = false;                // [J] logFormat, else [K] logging.format
};

// Node allocatable, the most that the requests of all pods may sum up to: every resource in
// `capacity` less both reservations and, for memory and ephemeral-storage, less the hard eviction
// threshold; never below zero. `thresholds` are the configured ones; a percentage is a share of the
// capacity. Without thresholds it is the limit of the pods' group: there, the eviction threshold is
// not subtracted, so that allocatableMemory.available is crossed before the kernel's limit is
// reached.
// Source: cm.containerManagerImpl.GetNodeAllocatableReservation, getNodeAllocatableAbsolute (1.36).
[[nodiscard]] ResourceList NodeAllocatable(const ResourceList& capacity,
                                           const NodeReservation& reservation,
                                           const std::vector<Threshold>& thresholds);

// The result of reading the configuration again.
struct ConfigChanges {
  AgentConfig config;                     // that holds from now on
  std::vector<std::string> at_once;       // settings that have changed in it
  std::vector<std::string> need_restart;  // settings that differ, and hold as they were
};

// Returns `running` with the settings of `read` that can take effect at once: thresholds with their
// grace periods and minimum reclaims, the transition period of conditions, the longest grace period
// of pods, hooks and the log level. If enforceNodeAllocatable changes, the thresholds wait for the
// restart as well. Settings are named as in a configuration file, in a fixed order.
[[nodiscard]] ConfigChanges ChangesOf(const AgentConfig& running, const AgentConfig& read);

}  // namespace jettison
