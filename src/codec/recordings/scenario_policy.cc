#include "codec/recordings/scenario_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/read_config.h"
#include "core/json/json_writer.h"
#include "core/text/spelling.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

std::vector<Threshold> ThresholdsOf(const Fields& config, DiskLayout layout) {
  const auto enforced =
      config.TextList("enforceNodeAllocatable").value_or(std::vector<std::string>{});
  EvictionSettings settings = SettingsIn(config, KubeletSignalMaps());
  Take(config.TextMap("evictionMinimumReclaim"), settings.minimum_reclaim);
  settings.enforce_pods = std::ranges::find(enforced, "pods") != enforced.end();
  ThresholdParsing parsing = ParseThresholds(settings);
  for (Fault& fault : parsing.faults) {
    config.Refuse(fault.key, std::move(fault.value), std::move(fault.message));
  }
  return ThresholdsFor(parsing.thresholds, layout);
}

// What a scenario has beside the fields of a JettisonConfiguration.
constexpr std::string_view kHardFirst = "hardThresholdsFirst";
constexpr std::string_view kBesideKubelet = "besideKubelet";
constexpr auto kOwnFields = std::to_array<std::string_view>({kBesideKubelet, kHardFirst});
constexpr auto kDiskFields =
    std::to_array<std::string_view>({"dedicatedContainerFs", "dedicatedImageFs"});

// Of the names, which are sorted, there are too many to list them all. Beside them there may be
// `also`.
void RefuseUnknown(const Fields& fields, std::span<const std::string_view> names,
                   std::span<const std::string_view> also = {}) {
  if (fields.map().AsMap() == nullptr) return;
  for (const auto& [key, value] : *fields.map().AsMap()) {
    if (std::ranges::find(also, key) != also.end()) continue;
    if (std::ranges::binary_search(names, std::string_view(key))) continue;
    fields.Refuse(key, Shown(value), "there is no such field" + DidYouMean(key, names));
  }
}

}  // namespace

Result<PassPolicy> ScenarioPolicy(const Value& scenario) {
  constexpr auto kMostSeconds = std::numeric_limits<std::int64_t>::max();
  Faults faults;
  Faults warnings;
  const Value none;
  const auto part = [&](std::string_view name) {
    const Value* const settings = scenario.Find(name);
    return Fields(settings == nullptr ? none : *settings, "", faults, fmt::format("{}.", name));
  };
  const Fields layout = part("disk");
  const Fields config = part("kubeletConfig");
  const Fields own = part("jettisonConfig");
  RefuseUnknown(layout, kDiskFields);
  RefuseUnknown(config, KubeletFieldNames());
  RefuseUnknown(own, JettisonFieldNames(), kOwnFields);
  PassPolicy policy;
  policy.layout = {.dedicated_image_fs = layout.Flag("dedicatedImageFs").value_or(false),
                   .dedicated_container_fs = layout.Flag("dedicatedContainerFs").value_or(false)};
  policy.thresholds = ThresholdsOf(config, policy.layout);
  if (const auto kubelets = own.Inside(kBesideKubelet)) {
    policy.thresholds =
        WithKubeletLines(std::move(policy.thresholds), ThresholdsOf(*kubelets, policy.layout));
  }
  const std::vector<Threshold> own_thresholds = ReadOwnThresholds(own, warnings);
  policy.thresholds.insert(policy.thresholds.end(), own_thresholds.begin(), own_thresholds.end());
  policy.pressure_transition_period =
      config.Span("evictionPressureTransitionPeriod", Duration::min())
          .value_or(policy.pressure_transition_period);
  policy.max_pod_grace_period_seconds =
      config.Integer("evictionMaxPodGracePeriod", -kMostSeconds, kMostSeconds).value_or(0);
  policy.local_storage_capacity_isolation =
      config.Flag("localStorageCapacityIsolation").value_or(true);
  policy.hard_first = own.Flag(kHardFirst).value_or(false);
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(faults));
  return policy;
}

namespace {

using NamedMap = std::pair<std::string_view, SignalSettings>;

// The maps that these thresholds come from, without empty ones. An absent evictionHard would have
// the defaults, so it is there even where it is empty.
std::vector<NamedMap> MapsOf(const SignalMaps& maps, const std::vector<Threshold>& thresholds) {
  EvictionSettings settings = SettingsOf(thresholds, maps);
  std::vector<NamedMap> named = {{maps.hard, std::move(settings.hard)},
                                 {maps.soft, std::move(settings.soft)},
                                 {maps.soft_grace_period, std::move(settings.soft_grace_period)},
                                 {"evictionMinimumReclaim", std::move(settings.minimum_reclaim)}};
  std::erase_if(named, [](const NamedMap& map) {
    return map.second.empty() && map.first != KubeletSignalMaps().hard;
  });
  return named;
}

void WriteMaps(const SignalMaps& maps, const std::vector<Threshold>& thresholds, JsonWriter& json) {
  for (const auto& [name, map] : MapsOf(maps, thresholds)) {
    json.Object(name, [&] {
      for (const auto& [signal, text] : map) json.Field(signal, text);
    });
  }
}

void WriteWithCopy(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  if (CopyForPods(thresholds)) {
    json.Key("enforceNodeAllocatable");
    json.Json(R"(["pods"])");
  }
  WriteEvictionSettings(thresholds, json);
}

std::string YamlOf(const SignalMaps& maps, const std::vector<Threshold>& thresholds) {
  std::string yaml;
  for (const auto& [name, map] : MapsOf(maps, thresholds)) {
    yaml += fmt::format("{}:{}\n", name, map.empty() ? " {}" : "");
    for (const auto& [signal, text] : map) yaml += fmt::format("  {}: \"{}\"\n", signal, text);
  }
  return yaml;
}

}  // namespace

void WriteEvictionSettings(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  WriteMaps(KubeletSignalMaps(), thresholds, json);
}

void WriteOwnSettings(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  for (const SignalMaps& own : OwnSignalMaps()) WriteMaps(own, thresholds, json);
}

void WritePolicy(const PassPolicy& policy, JsonWriter& json) {
  json.Object("kubeletConfig", [&] {
    json.Field("evictionPressureTransitionPeriod",
               FormatDuration(policy.pressure_transition_period));
    json.Field("evictionMaxPodGracePeriod", policy.max_pod_grace_period_seconds);
    json.Field("localStorageCapacityIsolation", policy.local_storage_capacity_isolation);
    WriteWithCopy(policy.thresholds, json);
  });
  json.Object("jettisonConfig", [&] {
    WriteOwnSettings(policy.thresholds, json);
    if (policy.hard_first) json.Field("hardThresholdsFirst", true);
    const std::vector<Threshold> kubelets = KubeletThresholdsOf(policy.thresholds);
    if (kubelets.empty()) return;
    json.Object("besideKubelet", [&] { WriteWithCopy(kubelets, json); });
  });
  json.Object("disk", [&] {
    json.Field("dedicatedImageFs", policy.layout.dedicated_image_fs);
    json.Field("dedicatedContainerFs", policy.layout.dedicated_container_fs);
  });
}

std::string ConfigurationYaml(const PassPolicy& policy) {
  std::vector<Threshold> configured = policy.thresholds;
  std::erase_if(configured, [](const Threshold& threshold) {
    return RowOf(threshold.signal).disk == FileSystem::kContainer;
  });
  // Zero, which only a scenario can have, would be read as the default.
  const Duration transition = std::max(policy.pressure_transition_period, Duration(1));
  std::string yaml = fmt::format(
      "apiVersion: kubelet.config.k8s.io/v1beta1\n"
      "kind: KubeletConfiguration\n"
      "{}"
      "evictionPressureTransitionPeriod: {}\n"
      "evictionMaxPodGracePeriod: {}\n",
      YamlOf(KubeletSignalMaps(), configured), FormatDuration(transition),
      policy.max_pod_grace_period_seconds);
  if (!policy.local_storage_capacity_isolation) yaml += "localStorageCapacityIsolation: false\n";
  std::string own;
  for (const SignalMaps& maps : OwnSignalMaps()) own += YamlOf(maps, configured);
  if (own.empty()) return yaml;
  return yaml + "---\napiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n" + own;
}

}  // namespace jettison
