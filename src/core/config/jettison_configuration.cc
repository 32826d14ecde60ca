#include "core/config/jettison_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/redaction.h"
#include "core/text/spelling.h"
#include "core/thresholds/own_thresholds.h"
#include "core/units/http_url.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr std::string_view kHooks = "hooks";
constexpr auto kHookNames =
    std::to_array<std::string_view>({"name", "when", "exec", "url", "timeout", "minInterval"});
// Each hook has a thread.
constexpr std::size_t kMostHooks = 8;
constexpr Duration kLeastTimeout = std::chrono::milliseconds(100);
constexpr Duration kMostTimeout = std::chrono::minutes(1);
constexpr Duration kMostInterval = std::chrono::hours(1);

std::vector<Occasion> OccasionsIn(const Fields& fields) {
  const auto names = fields.TextList("when");
  if (!names) return {kAllOccasions.begin(), kAllOccasions.end()};
  std::vector<std::string_view> allowed;
  for (const Occasion occasion : kAllOccasions) allowed.push_back(NameOf(occasion));
  if (names->empty()) {
    fields.Refuse("when", "[]", fmt::format("must name at least one of {}", Alternatives(allowed)));
  }
  std::vector<Occasion> occasions;
  for (const std::string& name : *names) {
    const auto found =
        std::ranges::find(kAllOccasions, name, [](Occasion occasion) { return NameOf(occasion); });
    if (found == kAllOccasions.end()) {
      fields.Refuse("when", name, fmt::format("must be one of {}", Alternatives(allowed)));
    } else if (std::ranges::find(occasions, *found) == occasions.end()) {
      occasions.push_back(*found);
    }
  }
  return occasions;
}

void ReadWhom(const Fields& fields, HookConfig& hook) {
  const auto exec = fields.TextList("exec");
  const auto url = fields.Text("url");
  if (exec) {
    hook.exec = *exec;
    if (exec->empty() || !exec->front().starts_with('/')) {
      fields.Refuse("exec", exec->empty() ? "[]" : exec->front(),
                    "must begin with the absolute path of a program; its arguments follow");
    }
  }
  if (url) {
    hook.url = *url;
    if (const auto parts = ParseHttpUrl(*url); !parts) {
      fields.Refuse("url", RedactedUrl(*url), parts.error().message);
    }
  }
  const bool one = fields.Find("exec") != nullptr || fields.Find("url") != nullptr;
  if (exec && url) fields.Refuse("url", *url, "must not be set where exec is; use two hooks");
  if (!one) fields.Refuse("exec", "", "exec or url must be set");
}

HookConfig ReadHook(const Fields& fields, std::string name) {
  fields.RefuseOthers(kHookNames);
  HookConfig hook;
  hook.name = fields.Text("name").value_or(std::move(name));
  hook.when = OccasionsIn(fields);
  ReadWhom(fields, hook);
  Take(fields.Span("timeout", kLeastTimeout, kMostTimeout), hook.timeout);
  Take(fields.Span("minInterval", Duration::zero(), kMostInterval), hook.min_interval);
  return hook;
}

std::vector<HookConfig> ReadHooks(const Fields& fields) {
  std::vector<HookConfig> hooks;
  for (const Fields& hook : fields.ListOfMaps(kHooks)) {
    hooks.push_back(ReadHook(hook, fmt::format("hook {}", hooks.size() + 1)));
  }
  if (hooks.size() > kMostHooks) {
    fields.Refuse(kHooks, fmt::format("{} hooks", hooks.size()),
                  fmt::format("must be at most {}", kMostHooks));
  }
  return hooks;
}

constexpr auto kHttpNames = std::to_array<std::string_view>(
    {"address", "allowAnyLocalUser", "bearerTokenFile", "clientCAFile", "socket", "socketGroup",
     "tlsCertFile", "tlsPrivateKeyFile"});
constexpr std::size_t kLongestSocketPath = 107;  // sun_path of unix(7)

// Whether the field has a text other than "", valid or not.
bool IsSet(const Fields& http, std::string_view key) {
  const Value* value = http.Find(key);
  return value != nullptr && !Shown(*value).empty();
}

void ReadSocket(const Fields& http, HttpConfig& config) {
  if (http.Find("socket") != nullptr && !IsSet(http, "socket")) config.socket.clear();
  if (const auto path = http.AbsolutePath("socket")) {
    config.socket = *path;
    if (path->size() > kLongestSocketPath) {
      http.Refuse("socket", *path,
                  fmt::format("must have at most {} bytes, as sockets do", kLongestSocketPath));
    }
  }
  config.socket_group = http.Text("socketGroup").value_or("");
  const auto odd = [](char c) { return c <= ' ' || c == ':' || c == '/' || c == '\x7f'; };
  if (std::ranges::any_of(config.socket_group, odd)) {
    http.Refuse("socketGroup", config.socket_group, "must be the name or number of a group");
  } else if (!config.socket_group.empty() && config.socket.empty()) {
    http.Refuse("socketGroup", config.socket_group, "has no effect where socket is \"\"");
  }
}

// Checks which of the fields for TLS and client authentication need each other.
void CheckTogether(const Fields& http, const HttpConfig& config) {
  const bool has_cert = IsSet(http, "tlsCertFile");
  const bool has_key = IsSet(http, "tlsPrivateKeyFile");
  if (has_cert && !has_key) {
    http.Refuse("tlsCertFile", config.tls_cert_file, "needs tlsPrivateKeyFile, the key to it");
  }
  if (has_key && !has_cert) {
    http.Refuse("tlsPrivateKeyFile", config.tls_private_key_file,
                "needs tlsCertFile, the certificate to it");
  }
  if (IsSet(http, "clientCAFile") && !has_cert && !has_key) {
    http.Refuse("clientCAFile", config.client_ca_file,
                "client certificates need TLS: set tlsCertFile and tlsPrivateKeyFile");
  }
  const bool is_guarded = IsSet(http, "clientCAFile") || IsSet(http, "bearerTokenFile");
  if (config.allow_any_local_user && is_guarded) {
    http.Refuse("allowAnyLocalUser", "true",
                "must not be set where clientCAFile or bearerTokenFile says who may ask");
  }
  if (IsSet(http, "address")) return;
  for (const auto* key : {"allowAnyLocalUser", "tlsCertFile", "tlsPrivateKeyFile", "clientCAFile",
                          "bearerTokenFile"}) {
    if (!IsSet(http, key)) continue;
    http.Refuse(key, Shown(*http.Find(key)), "has no effect without address");
  }
}

void CheckAddress(const Fields& http, const HttpConfig& config) {
  const auto address = ParseTcpAddress(config.address);
  if (!address) {
    http.Refuse("address", config.address,
                "must be an IP address with a port, such as 127.0.0.1:10350 or [::1]:10350");
    return;
  }
  if (address->port == 0)
    http.Refuse("address", config.address, "must have a port from 1 to 65535");
  if (address->is_loopback) return;
  if (!IsSet(http, "tlsCertFile") && !IsSet(http, "tlsPrivateKeyFile")) {
    http.Refuse("address", config.address,
                "other machines can reach it, so it needs TLS: set tlsCertFile and "
                "tlsPrivateKeyFile, or listen on 127.0.0.1 or ::1");
  }
  if (!IsSet(http, "clientCAFile") && !IsSet(http, "bearerTokenFile")) {
    http.Refuse(
        "address", config.address,
        "other machines can reach it, so clients must say who they are: set clientCAFile or "
        "bearerTokenFile, or listen on 127.0.0.1 or ::1");
  }
}

// An address that other machines can reach needs TLS, and client certificates or a token.
void ReadHttp(const Fields& http, HttpConfig& config) {
  http.RefuseOthers(kHttpNames);
  ReadSocket(http, config);
  Take(http.Text("address"), config.address);
  Take(http.AbsolutePath("tlsCertFile"), config.tls_cert_file);
  Take(http.AbsolutePath("tlsPrivateKeyFile"), config.tls_private_key_file);
  Take(http.AbsolutePath("clientCAFile"), config.client_ca_file);
  Take(http.AbsolutePath("bearerTokenFile"), config.bearer_token_file);
  Take(http.Flag("allowAnyLocalUser"), config.allow_any_local_user);
  CheckTogether(http, config);
  if (!config.address.empty()) CheckAddress(http, config);
}

constexpr auto kRecordingNames = std::to_array<std::string_view>({"enabled", "maxAge", "maxSize"});
constexpr std::int64_t kLeastBytes = std::int64_t{1} << 20;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
constexpr Duration kShortestAge = std::chrono::hours(1);

void ReadSize(const Fields& recording, std::int64_t& bytes) {
  const auto text = recording.Text("maxSize");
  if (!text) return;
  const auto size = Quantity::Parse(*text);
  if (size && size->Value() >= kLeastBytes && size->Value() <= kMostBytes) {
    bytes = size->Value();
    return;
  }
  recording.Refuse("maxSize", *text, "must be an amount from 1Mi to 1Ti, such as 64Mi");
}

void ReadRecording(const Fields& recording, RecordingConfig& config) {
  recording.RefuseOthers(kRecordingNames);
  Take(recording.Flag("enabled"), config.enabled);
  ReadSize(recording, config.max_bytes);
  Take(recording.Span("maxAge", kShortestAge), config.max_age);
}

constexpr auto kKubernetesNames = std::to_array<std::string_view>(
    {"collectImages", "defaultMemoryThreshold", "evictDaemonSets", "jobs", "kubeconfig",
     "kubeletConfiguration", "kubeletDirectory", "softEvictionCoolDown", "softEvictionsPerHour"});
constexpr std::int64_t kMostPerHour = 3600;
constexpr Duration kLongestCoolDown = std::chrono::hours(1);

void ReadKubernetes(const Fields& kubernetes, KubernetesConfig& config) {
  kubernetes.RefuseOthers(kKubernetesNames);
  Take(kubernetes.AbsolutePath("kubeconfig"), config.kubeconfig);
  Take(kubernetes.AbsolutePath("kubeletConfiguration"), config.kubelet_configuration);
  Take(kubernetes.AbsolutePath("kubeletDirectory"), config.kubelet_directory);
  Take(kubernetes.Flag("collectImages"), config.collect_images);
  Take(kubernetes.Flag("defaultMemoryThreshold"), config.default_memory_threshold);
  Take(kubernetes.Flag("evictDaemonSets"), config.evict_daemon_sets);
  Take(kubernetes.OneOf("jobs", {JobEnding::kKill, JobEnding::kTerminate}), config.jobs);
  Take(kubernetes.Integer("softEvictionsPerHour", 1, kMostPerHour), config.soft_evictions_per_hour);
  Take(kubernetes.Span("softEvictionCoolDown", Duration::zero(), kLongestCoolDown),
       config.soft_eviction_cool_down);
}

// The other names are those of the maps of thresholds on our own signals.
constexpr auto kJettisonNames = std::to_array<std::string_view>(
    {"apiVersion", "kind",       "adopt",     "dryRun",   "evictionBackoff", "hooks",
     "http",       "kubernetes", "logFormat", "logLevel", "memoryAvailable", "monitoringInterval",
     "nodeCgroup", "nodeFs",     "nodeName",  "profile",  "recording",       "root",
     "runtime",    "source"});
// A file of an earlier version must not keep the agent from starting.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kRemoved = {
    {{"memoryReclaim", "it was removed; memory is reclaimed from no group"},
     {"nodeStatusFile", "it was removed; /api/v1/node has the same object"}}};
constexpr auto kBackoffNames = std::to_array<std::string_view>({"initial", "max"});

constexpr Duration kShortestInterval = std::chrono::milliseconds(100);
constexpr Duration kShortestBackoff = std::chrono::seconds(1);

void ReadBackoff(const Fields& fields, EvictionBackoff& backoff) {
  fields.RefuseOthers(kBackoffNames);
  const auto initial = fields.Span("initial", kShortestBackoff);
  const auto max = fields.Span("max", kShortestBackoff);
  Take(initial, backoff.initial);
  Take(max, backoff.max);
  if (backoff.initial <= backoff.max) return;
  if (max) {
    fields.Refuse(
        "max", FormatDuration(backoff.max),
        fmt::format("must be at least initial, which is {}", FormatDuration(backoff.initial)));
  } else {
    fields.Refuse("initial", FormatDuration(backoff.initial),
                  fmt::format("must be at most max, which is {}", FormatDuration(backoff.max)));
  }
}

bool IsNodeName(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= 253 && std::ranges::all_of(name, allowed);
}

void ReadNode(const Fields& fields, AgentConfig& config) {
  Take(fields.AbsolutePath("nodeCgroup"), config.node_cgroup);
  if (config.node_cgroup == "/") config.node_cgroup.clear();
  Take(fields.AbsolutePath("nodeFs"), config.node_fs);
  const auto name = fields.Text("nodeName");
  if (!name) return;
  if (IsNodeName(*name)) {
    config.node_name = *name;
  } else {
    fields.Refuse("nodeName", *name,
                  "must be 1 to 253 lower-case letters, digits, '-' or '.', as host names are");
  }
}

// Sets the defaults that depend on the source; `runtime` and other members may override them later.
void ReadSource(const Fields& fields, AgentConfig& config) {
  Take(fields.OneOf("source", {SourceKind::kManifests, SourceKind::kKubernetes}), config.source);
  const auto kubernetes = fields.Inside("kubernetes");
  if (kubernetes) ReadKubernetes(*kubernetes, config.kubernetes);
  if (config.source != SourceKind::kKubernetes) {
    if (kubernetes) fields.Refuse("kubernetes", "", "has no effect unless source is kubernetes");
    return;
  }
  config.adopt = AdoptPolicy::kEvict;
  config.profile = Profile::kKubelet;
  config.node_fs = config.kubernetes.kubelet_directory;
  if (fields.Find("runtime") != nullptr) {
    fields.Refuse("runtime", fields.Text("runtime").value_or(""),
                  "must not be set where source is kubernetes: the kubelet runs the pods");
  }
}

}  // namespace

std::span<const std::string_view> JettisonFieldNames() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names = OwnSettingNames();
    names.insert(names.end(), kJettisonNames.begin(), kJettisonNames.end());
    std::ranges::sort(names);
    return names;
  }();
  return all;
}

void ApplyJettisonConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings) {
  const auto names = JettisonFieldNames();
  std::vector<std::string_view> allowed(names.begin(), names.end());
  for (const auto& [name, why] : kRemoved) allowed.push_back(name);
  fields.RefuseOthers(allowed);
  for (const auto& [name, why] : kRemoved) {
    const Value* removed = fields.Find(name);
    if (removed == nullptr) continue;
    AddFault(warnings, {fields.file(), fields.Key(name), Shown(*removed),
                        fmt::format("has no effect: {}", why)});
  }
  ReadSource(fields, config);
  Take(fields.OneOf("runtime", {RuntimeKind::kProcess, RuntimeKind::kCri}), config.runtime);
  Take(fields.OneOf("profile", {Profile::kStandalone, Profile::kKubelet}), config.profile);
  Take(fields.OneOf("adopt", {AdoptPolicy::kNone, AdoptPolicy::kObserve, AdoptPolicy::kEvict}),
       config.adopt);
  Take(fields.OneOf("memoryAvailable", {MemoryEstimator::kWorkingSet, MemoryEstimator::kAvailable}),
       config.memory_estimator);
  Take(fields.AbsolutePath("root"), config.root);
  ReadNode(fields, config);
  Take(fields.OneOf<bool>("logFormat", {{"text", false}, {"json", true}}), config.json_logs);
  Take(fields.OneOf("logLevel",
                    {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}),
       config.log_level);
  Take(fields.Flag("dryRun"), config.dry_run);
  Take(fields.Span("monitoringInterval", kShortestInterval), config.monitoring_interval);
  if (const auto backoff = fields.Inside("evictionBackoff")) {
    ReadBackoff(*backoff, config.eviction_backoff);
  }
  if (const auto http = fields.Inside("http")) ReadHttp(*http, config.http);
  if (const auto recording = fields.Inside("recording")) {
    ReadRecording(*recording, config.recording);
  }
  config.hooks = ReadHooks(fields);
  const std::vector<Threshold> own = ReadOwnThresholds(fields, warnings);
  config.eviction.thresholds.insert(config.eviction.thresholds.end(), own.begin(), own.end());
}

}  // namespace jettison
