#include "core/config/jettison_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/http_configuration.h"
#include "core/text/spelling.h"
#include "core/thresholds/own_thresholds.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

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
  if (const auto http = fields.Inside("http")) config.http = ReadHttpConfiguration(*http);
  if (const auto recording = fields.Inside("recording")) {
    ReadRecording(*recording, config.recording);
  }
  config.hooks = ReadHooks(fields);
  const std::vector<Threshold> own = ReadOwnThresholds(fields, warnings);
  config.eviction.thresholds.insert(config.eviction.thresholds.end(), own.begin(), own.end());
}

}  // namespace jettison
