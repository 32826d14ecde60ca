#include "codec/recordings/policy_writer.h"

#include <algorithm>
#include <span>
#include <string>

#include "core/model/pressure.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/own_thresholds.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
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
  for (const SignalMaps* own : AllOwnSignals()) {
    WriteSettingsOf(*own, thresholds, json);
  }
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

}  // namespace jettison
