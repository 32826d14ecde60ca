#include "codec/recordings/policy_writer.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>

#include "core/model/pressure.h"
#include "core/thresholds/own_thresholds.h"
#include "core/thresholds/threshold_text.h"

namespace jettison {
namespace {

using Settings = std::map<std::string_view, std::string>;

void WriteMap(std::string_view name, const Settings& settings, JsonWriter& json) {
  json.Object(name, [&] {
    for (const auto& [signal, text] : settings) json.Field(signal, text);
  });
}

void PutMap(std::string_view name, const Settings& settings, JsonWriter& json) {
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

void WriteSettingsOf(const OwnSignals& own, const std::vector<Threshold>& thresholds,
                     JsonWriter& json) {
  Settings hard;
  Settings soft;
  Settings grace;
  for (const Threshold& threshold : thresholds) {
    if (!IsOneOf(threshold.signal, own.signals)) continue;
    const std::string_view signal = NameOf(threshold.signal);
    (threshold.IsHard() ? hard : soft)[signal] = OwnText(threshold);
    if (!threshold.IsHard()) grace[signal] = FormatDuration(threshold.grace_period);
  }
  PutMap(own.hard, hard, json);
  PutMap(own.soft, soft, json);
  PutMap(own.soft_grace_period, grace, json);
}

// A soft threshold without grace period is hard in all but its name.
bool StandsAmongHard(const Threshold& threshold, const Settings& hard) {
  return threshold.IsHard() && !hard.contains(NameOf(threshold.signal));
}

}  // namespace

void WriteEvictionSettings(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  Settings hard;
  Settings soft;
  Settings grace;
  Settings reclaim;
  for (const Threshold& threshold : thresholds) {
    // Follows from the enforcement of pods.
    if (threshold.signal == Signal::kAllocatableMemoryAvailable) continue;
    if (!IsOneOf(threshold.signal, kKubeletSignals)) continue;
    const std::string_view signal = NameOf(threshold.signal);
    if (StandsAmongHard(threshold, hard)) {
      hard[signal] = ThresholdText(threshold.value);
    } else {
      soft[signal] = ThresholdText(threshold.value);
      grace[signal] = FormatDuration(threshold.grace_period);
    }
    if (threshold.min_reclaim) reclaim[signal] = ThresholdText(*threshold.min_reclaim);
  }
  WriteMap("evictionHard", hard, json);
  PutMap("evictionSoft", soft, json);
  PutMap("evictionSoftGracePeriod", grace, json);
  PutMap("evictionMinimumReclaim", reclaim, json);
}

void WriteOwnSettings(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  for (const OwnSignals* own : AllOwnSignals()) {
    WriteSettingsOf(*own, thresholds, json);
  }
}

void WritePolicy(const PassPolicy& policy, JsonWriter& json) {
  json.Object("kubeletConfig", [&] {
    json.Field("evictionPressureTransitionPeriod",
               FormatDuration(policy.pressure_transition_period));
    json.Field("evictionMaxPodGracePeriod", policy.max_pod_grace_period_seconds);
    json.Field("localStorageCapacityIsolation", policy.local_storage_capacity_isolation);
    if (std::ranges::find(policy.thresholds, Signal::kAllocatableMemoryAvailable,
                          &Threshold::signal) != policy.thresholds.end()) {
      json.Key("enforceNodeAllocatable");
      json.Json(R"(["pods"])");
    }
    WriteEvictionSettings(policy.thresholds, json);
  });
  json.Object("jettisonConfig", [&] {
    WriteOwnSettings(policy.thresholds, json);
    if (policy.hard_first) json.Field("hardThresholdsFirst", true);
  });
  json.Object("disk", [&] {
    json.Field("dedicatedImageFs", policy.layout.dedicated_image_fs);
    json.Field("dedicatedContainerFs", policy.layout.dedicated_container_fs);
  });
}

}  // namespace jettison
