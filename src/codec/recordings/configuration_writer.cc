#include "codec/recordings/configuration_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include "codec/recordings/policy_writer.h"
#include "core/json/json_writer.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
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
