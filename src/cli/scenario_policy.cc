#include "cli/scenario_policy.h"

#include <charconv>
#include <string>

#include "config/containerfs_thresholds.h"
#include "config/threshold_parsing.h"

namespace jettison {
namespace {

// Collects what is wrong; a value of the wrong kind reads as absent.
class Reader {
 public:
  explicit Reader(std::string prefix) : prefix_(std::move(prefix)) {}

  void Refuse(const std::string& key, const std::string& message) {
    if (!faults_.empty()) faults_ += "; ";
    faults_ += prefix_ + key + ": " + message;
  }
  [[nodiscard]] const std::string& faults() const { return faults_; }

  SignalSettings Settings(const Value& config, const std::string& key) {
    SignalSettings settings;
    const Value* found = Present(config, key);
    if (found == nullptr) return settings;
    if (found->AsMap() == nullptr) {
      Refuse(key, "must be a map");
      return settings;
    }
    for (const auto& [signal, value] : *found->AsMap()) {
      const std::string* text = value.AsString();
      if (text == nullptr) {
        Refuse(key + "[" + signal + "]", "must be a string");
      } else {
        settings[signal] = *text;
      }
    }
    return settings;
  }

  Duration Period(const Value& config, const std::string& key, Duration otherwise) {
    const Value* found = Present(config, key);
    if (found == nullptr) return otherwise;
    const std::string* text = found->AsString();
    const auto period = text == nullptr ? Fail(ErrorCode::kInvalidArgument, "must be a Go duration")
                                        : ParseDuration(*text);
    if (period) return *period;
    Refuse(key, period.error().message);
    return otherwise;
  }

  std::int64_t Whole(const Value& config, const std::string& key) {
    std::int64_t number = 0;
    const Value* found = Present(config, key);
    if (found == nullptr) return number;
    const auto* text = found->AsNumber();
    if (text == nullptr) {
      Refuse(key, "must be a whole number");
      return number;
    }
    const char* end = text->text.data() + text->text.size();
    const auto [stop, error] = std::from_chars(text->text.data(), end, number);
    if (error != std::errc{} || stop != end) Refuse(key, "must be a whole number of 64 bits");
    return number;
  }

  bool Flag(const Value& config, const std::string& key, bool otherwise) {
    const Value* found = Present(config, key);
    if (found == nullptr) return otherwise;
    if (found->AsBool() != nullptr) return *found->AsBool();
    Refuse(key, "must be true or false");
    return otherwise;
  }

  bool ListHas(const Value& config, const std::string& key, std::string_view item) {
    const Value* found = Present(config, key);
    if (found == nullptr) return false;
    if (found->AsList() == nullptr) {
      Refuse(key, "must be a list");
      return false;
    }
    for (const Value& each : *found->AsList()) {
      if (each.AsString() != nullptr && *each.AsString() == item) return true;
    }
    return false;
  }

 private:
  static const Value* Present(const Value& config, const std::string& key) {
    const Value* found = config.Find(key);
    return found == nullptr || found->IsNull() ? nullptr : found;
  }

  std::string prefix_;
  std::string faults_;
};

std::vector<Threshold> Thresholds(const Value& config, DiskLayout layout, Reader& reader) {
  const ThresholdParsing parsing =
      ParseThresholds({.hard = reader.Settings(config, "evictionHard"),
                       .soft = reader.Settings(config, "evictionSoft"),
                       .soft_grace_period = reader.Settings(config, "evictionSoftGracePeriod"),
                       .minimum_reclaim = reader.Settings(config, "evictionMinimumReclaim"),
                       .enforce_pods = reader.ListHas(config, "enforceNodeAllocatable", "pods")});
  for (const Fault& fault : parsing.faults) reader.Refuse(fault.key, fault.message);
  return ThresholdsFor(parsing.thresholds, layout);
}

}  // namespace

Result<PassPolicy> ScenarioPolicy(const Value& kubelet_config, const Value& disk) {
  Reader layout_reader("disk.");
  Reader reader("kubeletConfig.");
  PassPolicy policy;
  policy.layout = {
      .dedicated_image_fs = layout_reader.Flag(disk, "dedicatedImageFs", false),
      .dedicated_container_fs = layout_reader.Flag(disk, "dedicatedContainerFs", false)};
  policy.thresholds = Thresholds(kubelet_config, policy.layout, reader);
  policy.pressure_transition_period = reader.Period(
      kubelet_config, "evictionPressureTransitionPeriod", policy.pressure_transition_period);
  policy.max_pod_grace_period_seconds = reader.Whole(kubelet_config, "evictionMaxPodGracePeriod");
  policy.local_storage_capacity_isolation =
      reader.Flag(kubelet_config, "localStorageCapacityIsolation", true);
  const std::string faults = layout_reader.faults() + reader.faults();
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, faults);
  return policy;
}

}  // namespace jettison
