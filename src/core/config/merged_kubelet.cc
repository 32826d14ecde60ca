#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/config/read_config.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {
namespace {

// Members that only concern the kubelet's own process, and its thresholds.
constexpr auto kNotTaken = std::to_array<std::string_view>(
    {"apiVersion", "kind", "evictionHard", "evictionSoft", "evictionSoftGracePeriod",
     "fileCheckFrequency", "kernelMemcgNotification", "logging", "mergeDefaultEvictionSettings",
     "oomScoreAdj", "staticPodPath", "staticPodURL"});

constexpr std::string_view kNotification = "kernelMemcgNotification";

const Value::Map& MembersOf(const ConfigDocument* document) {
  static const Value::Map kNone;
  const Value::Map* members = document == nullptr ? nullptr : document->document.AsMap();
  return members == nullptr ? kNone : *members;
}

// Present and not null. Null means absent.
const Value* Said(const Value::Map& members, std::string_view key) {
  const auto at = std::ranges::find(members, key, &Value::Member::first);
  return at == members.end() || at->second.IsNull() ? nullptr : &at->second;
}

void Put(Value::Map& members, std::string_view key, Value value) {
  std::erase_if(members, [key](const Value::Member& member) { return member.first == key; });
  members.emplace_back(std::string(key), std::move(value));
}

// `over` completed from `settings` if it is a map. Any other value stays unchanged and is refused
// later.
Value Over(const Value* over, const SignalSettings& settings) {
  if (over != nullptr && over->AsMap() == nullptr) return *over;
  Value::Map members = over == nullptr ? Value::Map{} : *over->AsMap();
  for (const auto& [signal, text] : settings) {
    const auto named = std::ranges::find(members, signal, &Value::Member::first);
    if (named == members.end()) members.emplace_back(signal, Value(text));
  }
  return Value(std::move(members), over == nullptr ? 0 : over->line());
}

bool FillsUp(const Value::Map& ours) {
  const Value* const merge = Said(ours, "mergeDefaultEvictionSettings");
  return merge != nullptr && merge->AsBool() != nullptr && *merge->AsBool();
}

void PutThresholds(const Value::Map& ours, const EvictionSettings& derived, Value::Map& merged) {
  const Value* const hard = Said(ours, "evictionHard");
  const bool fill_up = FillsUp(ours);
  if (hard == nullptr || fill_up) Put(merged, "evictionHard", Over(hard, derived.hard));
  // The merge that this member asks for has been done, with the derived settings and not the
  // kubelet's defaults.
  if (fill_up) Put(merged, "mergeDefaultEvictionSettings", Value(false));
  if (Said(ours, "evictionSoft") != nullptr) return;
  Put(merged, "evictionSoft", Over(nullptr, derived.soft));
  Put(merged, "evictionSoftGracePeriod",
      Over(Said(ours, "evictionSoftGracePeriod"), derived.soft_grace_period));
}

// The kubelet's thresholds and their faults. Everything else is read with the merged document.
std::vector<Threshold> ReadTheirs(const ConfigDocument& theirs, Faults& faults) {
  const Fields fields(theirs.document, theirs.file, faults);
  EvictionSettings settings = ReadEvictionSettings(fields);
  Faults noted_below;
  const auto listed =
      Fields(theirs.document, theirs.file, noted_below).TextList("enforceNodeAllocatable");
  settings.enforce_pods = !listed || std::ranges::find(*listed, "pods") != listed->end();
  ThresholdParsing parsing = ParseThresholds(settings);
  AddFaults(faults, std::move(parsing.faults), theirs.file);
  if (const Value* flag = fields.Find("cgroupsPerQOS");
      flag != nullptr && flag->AsBool() != nullptr && !*flag->AsBool()) {
    fields.Refuse("cgroupsPerQOS", "false",
                  "must be true where Jettison runs beside the kubelet: its pods cannot be "
                  "measured without cgroups of their own");
  }
  return std::move(parsing.thresholds);
}

}  // namespace

MergedKubelet MergeWithKubelet(const ConfigDocument* ours, const ConfigDocument& theirs,
                               bool default_memory, Faults& faults) {
  MergedKubelet merged{.document = {}, .theirs = ReadTheirs(theirs, faults)};
  std::vector<Threshold> followed = merged.theirs;
  const Value::Map& mine = MembersOf(ours);
  const bool has_hard_memory = std::ranges::any_of(merged.theirs, [](const Threshold& threshold) {
    return threshold.IsHard() && threshold.signal == Signal::kMemoryAvailable;
  });
  const Value* const hard = Said(mine, "evictionHard");
  const bool is_derived =
      hard == nullptr || (FillsUp(mine) && hard->Find("memory.available") == nullptr);
  if (default_memory && !has_hard_memory && is_derived) {
    followed.push_back(KubeletsDefaultMemory());
    merged.own_memory_threshold = true;
  }
  Value::Map members = mine;
  for (const auto& [key, value] : MembersOf(&theirs)) {
    if (std::ranges::find(kNotTaken, key) != kNotTaken.end()) continue;
    if (Said(mine, key) == nullptr) Put(members, key, value);
  }
  PutThresholds(mine, SettingsAbove(std::move(followed)), members);
  // The kubelet's own setting is usually false, which suits a kubelet that looks every ten seconds.
  if (Said(mine, kNotification) == nullptr) Put(members, kNotification, Value(true));
  merged.document = Value(std::move(members), ours == nullptr ? 0 : ours->document.line());
  return merged;
}

void SortByFile(const ConfigDocument* ours, const ConfigDocument& theirs, Faults& faults,
                Faults& warnings) {
  const auto is_ours = [&](const Fault& fault) {
    return ours != nullptr &&
           Said(MembersOf(ours), fault.key.substr(0, fault.key.find_first_of(".["))) != nullptr;
  };
  for (Fault& fault : faults) {
    if (!is_ours(fault)) fault.file = theirs.file;
  }
  std::erase_if(warnings, [&](const Fault& warning) { return !is_ours(warning); });
}

void LeaveToKubelet(AgentConfig& config) {
  if (!config.kubernetes.collect_images) {
    config.image_gc.high_threshold_percent = 100;
    config.image_gc.max_age = Duration::zero();
  }
  config.container_gc = {.min_age = {}, .max_per_pod_container = -1, .max_containers = -1};
  config.logs.max_size_bytes.reset();
  config.reservation.enforce_pods = false;
  config.reservation.kube_enforced.reset();
  config.reservation.system_enforced.reset();
  config.static_pod_path.clear();
}

}  // namespace jettison
