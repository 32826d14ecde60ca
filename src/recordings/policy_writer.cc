#include "recordings/policy_writer.h"

#include <algorithm>
#include <map>
#include <string>

#include "config/threshold_text.h"
#include "model/pressure.h"

namespace jettison {
namespace {

using Settings = std::map<std::string_view, std::string>;

void WriteMap(std::string_view name, const Settings& settings, JsonWriter& json) {
  json.Key(name);
  json.BeginObject();
  for (const auto& [signal, text] : settings) json.Field(signal, text);
  json.EndObject();
}

void PutMap(std::string_view name, const Settings& settings, JsonWriter& json) {
  if (!settings.empty()) WriteMap(name, settings, json);
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
    if (IsPressure(threshold.signal)) continue;
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

void WritePressureSettings(const std::vector<Threshold>& thresholds, JsonWriter& json) {
  Settings hard;
  Settings soft;
  Settings grace;
  for (const Threshold& threshold : thresholds) {
    if (!IsPressure(threshold.signal)) continue;
    const std::string_view signal = NameOf(threshold.signal);
    Settings& settings = threshold.IsHard() ? hard : soft;
    settings[signal] = ShareText(LostOf(std::get<Quantity>(threshold.value)));
    if (!threshold.IsHard()) grace[signal] = FormatDuration(threshold.grace_period);
  }
  PutMap("pressureHard", hard, json);
  PutMap("pressureSoft", soft, json);
  PutMap("pressureSoftGracePeriod", grace, json);
}

void WritePolicy(const PassPolicy& policy, JsonWriter& json) {
  json.Key("kubeletConfig");
  json.BeginObject();
  json.Field("evictionPressureTransitionPeriod", FormatDuration(policy.pressure_transition_period));
  json.Field("evictionMaxPodGracePeriod", policy.max_pod_grace_period_seconds);
  json.Field("localStorageCapacityIsolation", policy.local_storage_capacity_isolation);
  if (std::ranges::find(policy.thresholds, Signal::kAllocatableMemoryAvailable,
                        &Threshold::signal) != policy.thresholds.end()) {
    json.Key("enforceNodeAllocatable");
    json.Json(R"(["pods"])");
  }
  WriteEvictionSettings(policy.thresholds, json);
  json.EndObject();
  json.Key("jettisonConfig");
  json.BeginObject();
  WritePressureSettings(policy.thresholds, json);
  json.EndObject();
  json.Key("disk");
  json.BeginObject();
  json.Field("dedicatedImageFs", policy.layout.dedicated_image_fs);
  json.Field("dedicatedContainerFs", policy.layout.dedicated_container_fs);
  json.EndObject();
}

}  // namespace jettison
