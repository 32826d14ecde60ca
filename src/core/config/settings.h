#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/config/agent_config.h"
#include "core/thresholds/fields.h"

namespace jettison {

// When a change of a setting takes effect.
enum class Takes : std::uint8_t { kRestart, kAtOnce };

// The forms of settings: how one is read out of a document. What is absent stays as it is.

// A rule of more than one setting reads it.
struct ReadElsewhere {
  void Read(const Fields&, std::string_view, auto&) const {}
};
// A text, true or false, or the name of an enumerator.
struct ByType {
  template <typename Value>
  void Read(const Fields& fields, std::string_view name, Value& into) const {
    if constexpr (std::is_same_v<Value, std::string>) {
      Take(fields.Text(name), into);
    } else if constexpr (std::is_same_v<Value, bool>) {
      Take(fields.Flag(name), into);
    } else {
      Take(fields.Enumerator<Value>(name), into);
    }
  }
};
// Empty text is the default.
struct TextUnlessEmpty {
  void Read(const Fields& fields, std::string_view name, std::string& into) const {
    if (const auto text = fields.Text(name); text && !text->empty()) into = *text;
  }
};
struct Path {
  void Read(const Fields& fields, std::string_view name, std::string& into) const {
    Take(fields.AbsolutePath(name), into);
  }
};
// The root group is kept as "".
struct GroupPath {
  void Read(const Fields& fields, std::string_view name, std::string& into) const {
    Take(fields.AbsolutePath(name), into);
    if (into == "/") into.clear();
  }
};
struct WholeNumber {
  std::int64_t least;
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
  void Read(const Fields& fields, std::string_view name, auto& into) const {
    Take(fields.Integer(name, least, most), into);
  }
};
struct Span {
  Duration least{0};
  Duration most = Duration::max();
  bool is_default_at_zero = false;  // so it is in many fields of the kubelet
  void Read(const Fields& fields, std::string_view name, Duration& into) const {
    const auto any = is_default_at_zero ? fields.Span(name, Duration{0}) : std::nullopt;
    if (is_default_at_zero && any.value_or(Duration{0}) == Duration{0}) return;
    Take(fields.Span(name, least, most), into);
  }
};
inline constexpr Span kKubeletSpan = {.is_default_at_zero = true};
// A whole number of more than zero; any other is no limit.
struct Limit {
  void Read(const Fields& fields, std::string_view name, std::optional<std::int64_t>& into) const {
    using Range = std::numeric_limits<std::int64_t>;
    const auto limit = fields.Integer(name, Range::min(), Range::max());
    if (limit && *limit > 0) into = limit;
  }
};
// An amount of bytes from 1Mi to 1Ti.
struct FileSize {
  void Read(const Fields& fields, std::string_view name, std::int64_t& into) const;
};
// An amount of bytes; a negative one is no limit. The kubelet (parseMaxSize) takes no thousandths.
struct LogSize {
  void Read(const Fields& fields, std::string_view name, std::optional<std::int64_t>& into) const;
};
// A path that a unix socket can have; "" is none.
struct SocketPath {
  void Read(const Fields& fields, std::string_view name, std::string& into) const;
};
struct NodeName {
  void Read(const Fields& fields, std::string_view name, std::string& into) const;
};
struct HookList {
  void Read(const Fields& fields, std::string_view name, std::vector<HookConfig>& into) const;
};
// "json" or "text".
struct LogFormatName {
  void Read(const Fields& fields, std::string_view name, bool& into) const {
    if (const auto word = fields.Word(name, EnumNames("text", "json"))) into = *word == 1;
  }
};

// One setting: its name in a document, where its value is, its form, and when a change takes
// effect.
template <typename Owner, typename Value, typename Form = ByType>
struct Setting {
  std::string_view name;
  Value Owner::*value;
  Form form{};
  Takes takes = Takes::kRestart;
};
// Settings that are kept together. `name` is that of their map in a document; where it is empty
// they stand among the others. In the map any other name is a fault, but for those of the
// kubelet's.
template <typename Owner, typename Part, typename Rows>
struct Settings {
  std::string_view name;
  Part Owner::*part;
  Rows rows;
  bool is_kubelets = false;
  // Notes the faults of what was read of the map, where its settings have rules between them.
  void (*check)(const Fields& fields, const Part& read) = nullptr;
};

// Calls `visit(row)` for each row of a list.
template <typename Rows, typename Visit>
constexpr void ForEach(const Rows& rows, Visit&& visit) {
  std::apply([&](const auto&... row) { (visit(row), ...); }, rows);
}
template <typename Row>
concept IsSetting = requires(const Row& row) {
  row.form;
};

void CheckHttp(const Fields& fields, const HttpConfig& read);
void CheckBackoff(const Fields& fields, const EvictionBackoff& read);

// The lists: each setting stands here once, in the order in which it is read and written.
// Thresholds have tables of their own (core/thresholds).

inline constexpr auto kHttpSettings = std::tuple(
    Setting{"socket", &HttpConfig::socket, SocketPath{}},
    Setting{"socketGroup", &HttpConfig::socket_group}, Setting{"address", &HttpConfig::address},
    Setting{"tlsCertFile", &HttpConfig::tls_cert_file, Path{}},
    Setting{"tlsPrivateKeyFile", &HttpConfig::tls_private_key_file, Path{}},
    Setting{"clientCAFile", &HttpConfig::client_ca_file, Path{}},
    Setting{"bearerTokenFile", &HttpConfig::bearer_token_file, Path{}},
    Setting{"allowAnyLocalUser", &HttpConfig::allow_any_local_user});

inline constexpr auto kKubernetesSettings =
    std::tuple(Setting{"kubeconfig", &KubernetesConfig::kubeconfig, Path{}},
               Setting{"kubeletConfiguration", &KubernetesConfig::kubelet_configuration, Path{}},
               Setting{"kubeletDirectory", &KubernetesConfig::kubelet_directory, Path{}},
               Setting{"collectImages", &KubernetesConfig::collect_images},
               Setting{"defaultMemoryThreshold", &KubernetesConfig::default_memory_threshold,
                       ByType{}, Takes::kAtOnce},
               Setting{"evictDaemonSets", &KubernetesConfig::evict_daemon_sets},
               Setting{"jobs", &KubernetesConfig::jobs},
               Setting{"softEvictionsPerHour", &KubernetesConfig::soft_evictions_per_hour,
                       WholeNumber{1, 3600}},
               Setting{"softEvictionCoolDown", &KubernetesConfig::soft_eviction_cool_down,
                       Span{.most = std::chrono::hours(1)}});

inline constexpr auto kBackoffSettings =
    std::tuple(Setting{"initial", &EvictionBackoff::initial, Span{std::chrono::seconds(1)}},
               Setting{"max", &EvictionBackoff::max, Span{std::chrono::seconds(1)}});

inline constexpr auto kRecordingSettings =
    std::tuple(Setting{"enabled", &RecordingConfig::enabled},
               Setting{"maxSize", &RecordingConfig::max_bytes, FileSize{}},
               Setting{"maxAge", &RecordingConfig::max_age, Span{std::chrono::hours(1)}});

inline constexpr auto kJettisonSettings =
    std::tuple(Setting{"source", &AgentConfig::source}, Setting{"runtime", &AgentConfig::runtime},
               Settings{"kubernetes", &AgentConfig::kubernetes, kKubernetesSettings},
               Setting{"adopt", &AgentConfig::adopt}, Setting{"profile", &AgentConfig::profile},
               Setting{"root", &AgentConfig::root, Path{}},
               Setting{"nodeCgroup", &AgentConfig::node_cgroup, GroupPath{}},
               Setting{"nodeFs", &AgentConfig::node_fs, Path{}},
               Setting{"nodeName", &AgentConfig::node_name, NodeName{}},
               Setting{"memoryAvailable", &AgentConfig::memory_estimator},
               Setting{"monitoringInterval", &AgentConfig::monitoring_interval,
                       Span{std::chrono::milliseconds(100)}},
               Settings{"evictionBackoff", &AgentConfig::eviction_backoff, kBackoffSettings, false,
                        CheckBackoff},
               Setting{"hooks", &AgentConfig::hooks, HookList{}, Takes::kAtOnce},
               Settings{"http", &AgentConfig::http, kHttpSettings, false, CheckHttp},
               Settings{"recording", &AgentConfig::recording, kRecordingSettings},
               Setting{"dryRun", &AgentConfig::dry_run},
               Setting{"logLevel", &AgentConfig::log_level, ByType{}, Takes::kAtOnce},
               Setting{"logFormat", &AgentConfig::json_logs, LogFormatName{}});

inline constexpr auto kImageSettings =
    std::tuple(Setting{"imageMinimumGCAge", &ImageGcPolicy::min_age, kKubeletSpan},
               Setting{"imageMaximumGCAge", &ImageGcPolicy::max_age, Span{}},
               Setting{"imageGCHighThresholdPercent", &ImageGcPolicy::high_threshold_percent,
                       WholeNumber{0, 100}},
               Setting{"imageGCLowThresholdPercent", &ImageGcPolicy::low_threshold_percent,
                       WholeNumber{0, 100}});

inline constexpr auto kCpuQuotaSettings =
    std::tuple(Setting{"cpuCFSQuota", &CpuQuotaPolicy::enforced},
               Setting{"cpuCFSQuotaPeriod", &CpuQuotaPolicy::period,
                       Span{std::chrono::milliseconds(1), std::chrono::seconds(1)}});

inline constexpr auto kEvictionSettings = std::tuple(
    Setting{"evictionPressureTransitionPeriod", &EvictionPolicy::pressure_transition_period,
            kKubeletSpan, Takes::kAtOnce},
    Setting{"evictionMaxPodGracePeriod", &EvictionPolicy::max_pod_grace_period_seconds,
            WholeNumber{-std::numeric_limits<std::int32_t>::max()}, Takes::kAtOnce},
    Setting{"localStorageCapacityIsolation", &EvictionPolicy::local_storage_capacity_isolation});

inline constexpr auto kReservationSettings =
    std::tuple(Setting{"kubeReserved", &NodeReservation::kube_reserved, ReadElsewhere{}},
               Setting{"systemReserved", &NodeReservation::system_reserved, ReadElsewhere{}},
               Setting{"kubeReservedCgroup", &NodeReservation::kube_enforced, ReadElsewhere{}},
               Setting{"systemReservedCgroup", &NodeReservation::system_enforced, ReadElsewhere{}},
               Setting{"enforceNodeAllocatable", &NodeReservation::enforce_pods, ReadElsewhere{}});

inline constexpr auto kLogSettings =
    std::tuple(Setting{"podLogsDir", &ContainerLogPolicy::directory, Path{}},
               Setting{"containerLogMaxSize", &ContainerLogPolicy::max_size_bytes, LogSize{}},
               Setting{"containerLogMaxFiles", &ContainerLogPolicy::max_files, WholeNumber{2}});

inline constexpr auto kRestartSettings =
    std::tuple(Setting{"maxContainerRestartPeriod", &RestartBackoff::max,
                       Span{std::chrono::seconds(1), std::chrono::minutes(5)}});

inline constexpr auto kKubeletSettings = std::tuple(
    Setting{"staticPodPath", &AgentConfig::static_pod_path, ReadElsewhere{}},
    Setting{"fileCheckFrequency", &AgentConfig::file_check_frequency,
            Span{.least = std::chrono::milliseconds(100), .is_default_at_zero = true}},
    Settings{"", &AgentConfig::eviction, kEvictionSettings},
    Setting{"kernelMemcgNotification", &AgentConfig::kernel_memcg_notification},
    Settings{"", &AgentConfig::image_gc, kImageSettings},
    Setting{"cgroupRoot", &AgentConfig::cgroup_root, GroupPath{}},
    Setting{"cgroupDriver", &AgentConfig::cgroup_driver},
    Setting{"podPidsLimit", &AgentConfig::pod_pids_limit, Limit{}},
    Settings{"", &AgentConfig::cpu_quota, kCpuQuotaSettings},
    Setting{"oomScoreAdj", &AgentConfig::oom_score_adj, WholeNumber{-1000, 1000}},
    Settings{"", &AgentConfig::reservation, kReservationSettings},
    Settings{"", &AgentConfig::logs, kLogSettings},
    Setting{"containerRuntimeEndpoint", &AgentConfig::container_runtime_endpoint,
            TextUnlessEmpty{}},
    Setting{"runtimeRequestTimeout", &AgentConfig::runtime_request_timeout, kKubeletSpan},
    Settings{"crashLoopBackOff", &AgentConfig::restart_backoff, kRestartSettings, true});

// Adds the names of the settings of a list as a document has them; of a map the map's.
template <typename Rows>
void AddNamesOf(const Rows& rows, std::vector<std::string_view>& names) {
  ForEach(rows, [&]<typename Row>(const Row& row) {
    if (!row.name.empty()) {
      names.push_back(row.name);
    } else if constexpr (!IsSetting<Row>) {
      AddNamesOf(row.rows, names);
    }
  });
}
template <typename Rows>
[[nodiscard]] std::vector<std::string_view> NamesOf(const Rows& rows) {
  std::vector<std::string_view> names;
  AddNamesOf(rows, names);
  return names;
}

// Reads settings out of a document, or out of a map in it.
template <typename Owner, typename Rows>
void ReadSettings(const Fields& fields, const Rows& rows, Owner& into) {
  ForEach(rows, [&]<typename Row>(const Row& row) {
    if constexpr (IsSetting<Row>) {
      row.form.Read(fields, row.name, into.*row.value);
    } else if (row.name.empty()) {
      ReadSettings(fields, row.rows, into.*row.part);
    } else if (const auto inside = fields.Inside(row.name)) {
      if (!row.is_kubelets) inside->RefuseOthers(NamesOf(row.rows));
      ReadSettings(*inside, row.rows, into.*row.part);
      if (row.check != nullptr) row.check(*inside, into.*row.part);
    }
  });
}

}  // namespace jettison
