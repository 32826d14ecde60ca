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
#include "core/model/pressure.h"
#include "core/text/spelling.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_parsing.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

std::vector<Threshold> ThresholdsOf(const Fields& config, DiskLayout layout) {
  const auto enforced =
      config.TextList("enforceNodeAllocatable").value_or(std::vector<std::string>{});
  ThresholdParsing parsing = ParseThresholds(
      {.hard = config.TextMap("evictionHard").value_or(SignalSettings{}),
       .soft = config.TextMap("evictionSoft").value_or(SignalSettings{}),
       .soft_grace_period = config.TextMap("evictionSoftGracePeriod").value_or(SignalSettings{}),
       .minimum_reclaim = config.TextMap("evictionMinimumReclaim").value_or(SignalSettings{}),
       .enforce_pods = std::find(enforced.begin(), enforced.end(), "pods") != enforced.end()});
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

void WriteMap(std::string_view name, const SignalSettings& settings, JsonWriter& json) {
  json.Object(name, [&] {
    for (const auto& [signal, text] : settings) json.Field(signal, text);
  });
}

void PutMap(std::string_view name, const SignalSettings& settings, JsonWriter& json) {
  if (!settings.empty()) WriteMap(name, settings, json);
}

bool IsOneOf(Signal signal, std::span<const Signal> signals) {
  return std::ranges::find(signals, signal) != signals.end();
}

// Of pressure the share that may be lost.
std::string OwnText(const Threshold& threshold) {
  if (!IsPressure(threshold.signal)) return ThresholdText(threshold.value);
  return ShareText(LostOf(std::get<Quantity>(threshold.value)));
}

void WriteSettingsOf(const SignalMaps& own, const std::vector<Threshold>& thresholds,
                     JsonWriter& json) {
  SignalSettings hard;
  SignalSettings soft;
  SignalSettings grace;
  for (const Threshold& threshold : thresholds) {
    if (!IsOneOf(threshold.signal, own.signals)) continue;
    const std::string signal(NameOf(threshold.signal));
    (threshold.IsHard() ? hard : soft)[signal] = OwnText(threshold);
    if (!threshold.IsHard()) grace[signal] = FormatDuration(threshold.grace_period);
  }
  PutMap(own.hard, hard, json);
  PutMap(own.soft, soft, json);
  PutMap(own.soft_grace_period, grace, json);
}

}  // namespace

void WriteEvictionSettings(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  const EvictionSettings settings = SettingsOf(thresholds);
  WriteMap("evictionHard", settings.hard, json);
  PutMap("evictionSoft", settings.soft, json);
  PutMap("evictionSoftGracePeriod", settings.soft_grace_period, json);
  PutMap("evictionMinimumReclaim", settings.minimum_reclaim, json);
}

void WriteOwnSettings(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  for (const SignalMaps& own : OwnSignalMaps()) WriteSettingsOf(own, thresholds, json);
}

namespace {

void WriteWithCopy(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  if (CopyForPods(thresholds)) {
    json.Key("enforceNodeAllocatable");
    json.Json(R"(["pods"])");
  }
  WriteEvictionSettings(thresholds, json);
}

}  // namespace

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

namespace {

void PutMap(std::string_view name, const SignalSettings& settings, std::string& yaml) {
  if (settings.empty()) return;
  yaml += fmt::format("{}:\n", name);
  for (const auto& [signal, text] : settings) yaml += fmt::format("  {}: \"{}\"\n", signal, text);
}

// An absent evictionHard would have the defaults, so it is written even where it is empty.
void PutHard(const SignalSettings& settings, std::string& yaml) {
  if (settings.empty()) yaml += "evictionHard: {}\n";
  PutMap("evictionHard", settings, yaml);
}

// Zero, which only a scenario can have, would be read as the default.
Duration ReadableTransition(Duration period) {
  return std::max<Duration>(period, std::chrono::nanoseconds(1));
}

std::vector<Threshold> AsConfigured(std::vector<Threshold> thresholds) {
  std::erase_if(thresholds, [](const Threshold& threshold) {
    return threshold.signal == Signal::kContainerFsAvailable ||
           threshold.signal == Signal::kContainerFsInodesFree;
  });
  return thresholds;
}

// JSON is YAML, too; empty where there is nothing to say.
std::string OwnDocument(const PassPolicy& policy) {
  std::string settings;
  JsonWriter members(settings);
  members.Object([&] { WriteOwnSettings(policy.thresholds, members); });
  if (settings == "{}") return "";
  std::string text = "---\n";
  JsonWriter json(text, 2);
  json.Object([&] {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "JettisonConfiguration");
    WriteOwnSettings(policy.thresholds, json);
  });
  return text + "\n";
}

}  // namespace

std::string ConfigurationYaml(const PassPolicy& policy) {
  const EvictionSettings settings = SettingsOf(AsConfigured(policy.thresholds));
  std::string yaml =
      "apiVersion: kubelet.config.k8s.io/v1beta1\n"
      "kind: KubeletConfiguration\n";
  PutHard(settings.hard, yaml);
  PutMap("evictionSoft", settings.soft, yaml);
  PutMap("evictionSoftGracePeriod", settings.soft_grace_period, yaml);
  PutMap("evictionMinimumReclaim", settings.minimum_reclaim, yaml);
  yaml += fmt::format("evictionPressureTransitionPeriod: {}\n",
                      FormatDuration(ReadableTransition(policy.pressure_transition_period)));
  yaml += fmt::format("evictionMaxPodGracePeriod: {}\n", policy.max_pod_grace_period_seconds);
  if (!policy.local_storage_capacity_isolation) yaml += "localStorageCapacityIsolation: false\n";
  return yaml + OwnDocument(policy);
}

}  // namespace jettison
