#include "core/config/read_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_settings.h"

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

// A KubeletConfiguration made of the kubelet's and ours.
struct MergedKubelet {
  Value document;
  std::vector<Threshold> theirs;  // what the kubelet evicts by, with its allocatable copy
  // The kubelet has no hard threshold on memory.available, and neither has our document: ours is
  // derived from the kubelet's default.
  bool own_memory_threshold = false;
};

// Merges our document over the kubelet's, member by member: a member that ours does not set has the
// kubelet's value, except members about the kubelet's own process and its static pods. Thresholds
// that ours does not set are the kubelet's plus a margin (thresholds/kubelet_order.h); with
// mergeDefaultEvictionSettings in ours, this applies to each single signal. Where the kubelet has
// no hard threshold on memory, its default stands in for one unless `default_memory` is false.
// `ours` null: there is no such document. Faults name the kubelet's file.
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

// Switches off everything that the kubelet does and that Jettison must therefore not do: collecting
// dead containers and, unless `kubernetes.collectImages` is set, images; rotating logs, limiting
// groups, running static pods.
void LeaveToKubelet(AgentConfig& config) {
  if (!config.kubernetes.collect_images) {
    config.image_gc.high_threshold_percent = 100;
    config.image_gc.max_age = Duration::zero();
  }
  config.logs.max_size_bytes.reset();
  config.reservation.enforce_pods = false;
  config.reservation.kube_enforced.reset();
  config.reservation.system_enforced.reset();
  config.static_pod_path.clear();
}

constexpr const char* kKubeletLogs = "/var/log/pods";  // the default of podLogsDir

// Sets what depends on more than one document.
void FillIn(AgentConfig& config) {
  if (config.source == SourceKind::kKubernetes) {
    if (config.node_fs.empty()) config.node_fs = config.kubernetes.kubelet_directory;
    config.static_pod_path.clear();  // the kubelet runs static pods
    if (config.logs.directory.empty()) config.logs.directory = kKubeletLogs;
  }
  if (config.logs.directory.empty()) {
    config.logs.directory = (config.root == "/" ? "" : config.root) + "/logs";
  }
  if (config.node_fs.empty()) config.node_fs = config.root;
}

// The name of a slice determines its place, so a container runtime cannot be told to make it
// elsewhere.
void CheckSlices(const ConfigDocument& kubelet, const AgentConfig& config, Faults& faults) {
  if (config.cgroup_driver != CgroupDriver::kSystemd || config.runtime != RuntimeKind::kCri) return;
  if (config.node_cgroup.empty() && config.cgroup_root.empty()) return;
  Fields(kubelet.document, FileOf(kubelet, "cgroupDriver"), faults)
      .Refuse("cgroupDriver", "systemd",
              "cannot be combined with nodeCgroup or cgroupRoot where runtime is cri: systemd "
              "places kubepods.slice at the root");
}

// The agent keeps its own files there, and takes a folder of manifests for what an earlier one
// left.
void CheckManifestFolder(const ConfigDocument& kubelet, const AgentConfig& config, Faults& faults) {
  const std::string& path = config.static_pod_path;
  const std::string pods = (config.root == "/" ? "" : config.root) + "/pods";
  if (path.empty()) return;
  if (path != config.root && !IsAtOrBelow(path, pods) &&
      !IsAtOrBelow(path, config.logs.directory)) {
    return;
  }
  Fields(kubelet.document, FileOf(kubelet, "staticPodPath"), faults)
      .Refuse("staticPodPath", path,
              fmt::format("must not be where the agent keeps its own files ({}, {}, {})",
                          config.root, pods, config.logs.directory));
}

// Names the file that sets the member of each fault and warning that `read` finds.
template <typename Read>
void WithFiles(const ConfigDocument& document, ConfigReading& reading, Read read) {
  const std::size_t faults = reading.faults.size();
  const std::size_t warnings = reading.warnings.size();
  read(Fields(document.document, document.file, reading.faults));
  for (const auto found :
       {std::span(reading.faults).subspan(faults), std::span(reading.warnings).subspan(warnings)}) {
    for (Fault& fault : found) {
      const bool has_place = fault.file == document.file && !fault.key.empty();
      if (has_place) fault.file = FileOf(document, fault.key);
    }
  }
}

void ReadKubelet(const ConfigDocument& document, ConfigReading& reading) {
  WithFiles(document, reading, [&](const Fields& fields) {
    ApplyKubeletConfiguration(fields, reading.config, reading.warnings, reading.faults);
  });
  // A relative path refers to the folder of the file in which it is written.
  const Fields at(document.document, FileOf(document, "staticPodPath"), reading.faults);
  reading.config.static_pod_path = at.PathFromFile("staticPodPath").value_or("");
}

void ReadWithoutKubelet(const SortedDocuments& sorted, const KubeletSide& kubelet,
                        ConfigReading& reading) {
  ReadKubelet(sorted.kubelet.value_or(ConfigDocument{.file = "", .document = Value(Value::Map{})}),
              reading);
  if (kubelet.why_not.empty()) return;
  const ConfigDocument& ours = sorted.kubelet ? *sorted.kubelet : *sorted.jettison;
  const Value* hard = sorted.kubelet ? sorted.kubelet->document.Find("evictionHard") : nullptr;
  if (hard == nullptr || hard->IsNull()) {
    AddFault(reading.faults,
             {ours.file, "evictionHard", "",
              fmt::format("must be set where the kubelet's own configuration is not known, as "
                          "nothing is evicted on a guess ({})",
                          kubelet.why_not)});
    return;
  }
  AddFault(
      reading.warnings,
      {FileOf(ours, "evictionHard"), "evictionHard", "",
       fmt::format("it is not known whether it lies above the kubelet's ({})", kubelet.why_not)});
}

bool WantsDefaultMemoryThreshold(const std::optional<ConfigDocument>& jettison) {
  const Value* kubernetes = jettison ? jettison->document.Find("kubernetes") : nullptr;
  const Value* wants = kubernetes == nullptr ? nullptr : kubernetes->Find("defaultMemoryThreshold");
  return wants == nullptr || wants->AsBool() == nullptr || *wants->AsBool();
}

void ReadWithKubelet(const SortedDocuments& sorted, const ConfigDocument& theirs,
                     ConfigReading& reading) {
  const ConfigDocument* const mine = sorted.kubelet ? &*sorted.kubelet : nullptr;
  const MergedKubelet merged =
      MergeWithKubelet(mine, theirs, WantsDefaultMemoryThreshold(sorted.jettison), reading.faults);
  // What ours sets is put over the kubelet's, whose warnings concern the kubelet.
  ConfigDocument both{.file = theirs.file, .document = merged.document};
  for (const auto& [key, value] : MembersOf(mine)) {
    if (!value.IsNull()) both.overrides.push_back({key, mine->file});
  }
  if (mine != nullptr) {
    both.overrides.insert(both.overrides.end(), mine->overrides.begin(), mine->overrides.end());
  }
  ReadKubelet(both, reading);
  std::erase_if(reading.warnings, [&](const Fault& each) { return each.file == theirs.file; });
  reading.config.own_memory_threshold = merged.own_memory_threshold;
  if (merged.own_memory_threshold) {
    AddFault(reading.warnings,
             {theirs.file, "evictionHard[memory.available]", "",
              fmt::format("the kubelet has no such threshold, so the agent has one of its own, "
                          "{}; kubernetes.defaultMemoryThreshold: false switches it off",
                          ThresholdText(WithMargin(Signal::kMemoryAvailable,
                                                   KubeletsDefaultMemory().value)))});
  }
  std::vector<Threshold>& ours = reading.config.eviction.thresholds;
  std::vector<Threshold> lines = merged.theirs;
  if (merged.own_memory_threshold) lines.push_back(KubeletsDefaultMemory());
  ours = WithKubeletLines(std::move(ours), lines);
  for (Fault& fault : CheckAboveKubelet(ours, merged.theirs, {})) {
    fault.file = FileOf(both, fault.key);
    AddFault(reading.not_above_kubelet, std::move(fault));
  }
  reading.kubelet_thresholds = merged.theirs;
}

bool IsBesideKubelet(const std::optional<ConfigDocument>& jettison) {
  const Value* source = jettison ? jettison->document.Find("source") : nullptr;
  const std::string* name = source == nullptr ? nullptr : source->AsString();
  return name != nullptr && *name == NameOf(SourceKind::kKubernetes);
}

// The members of each drop-in that are in force, in the order of the drop-ins.
std::vector<DropInReading> DropInsOf(const std::vector<ConfigDocument>& documents,
                                     const SortedDocuments& sorted) {
  std::vector<DropInReading> drop_ins;
  for (const ConfigDocument& document : documents) {
    if (!document.drop_in) continue;
    if (!drop_ins.empty() && drop_ins.back().file == document.file) continue;
    DropInReading& drop_in = drop_ins.emplace_back(DropInReading{document.file, {}});
    for (const auto* const kind : {&sorted.kubelet, &sorted.jettison}) {
      if (!*kind) continue;
      for (const Override& one : (*kind)->overrides) {
        if (one.file == document.file) drop_in.fields.push_back(one.key);
      }
    }
  }
  return drop_ins;
}

}  // namespace

ConfigReading ReadConfig(const std::vector<ConfigDocument>& documents, const KubeletSide& kubelet) {
  ConfigReading reading;
  const SortedDocuments sorted = Sorted(documents, reading.faults);
  const bool with_kubelet = IsBesideKubelet(sorted.jettison);
  if (with_kubelet && kubelet.document) {
    ReadWithKubelet(sorted, *kubelet.document, reading);
  } else {
    ReadWithoutKubelet(sorted, with_kubelet ? kubelet : KubeletSide{}, reading);
  }
  if (with_kubelet && sorted.kubelet && !reading.config.static_pod_path.empty()) {
    Fields(sorted.kubelet->document, FileOf(*sorted.kubelet, "staticPodPath"), reading.faults)
        .Refuse("staticPodPath", reading.config.static_pod_path,
                "must not be set where source is kubernetes: the kubelet runs the pods");
  }
  if (sorted.jettison) {
    WithFiles(*sorted.jettison, reading, [&](const Fields& fields) {
      ApplyJettisonConfiguration(fields, reading.config, reading.warnings);
    });
  }
  if (with_kubelet) LeaveToKubelet(reading.config);
  FillIn(reading.config);
  if (sorted.kubelet) {
    CheckSlices(*sorted.kubelet, reading.config, reading.faults);
    CheckManifestFolder(*sorted.kubelet, reading.config, reading.faults);
  }
  reading.drop_ins = DropInsOf(documents, sorted);
  return reading;
}

}  // namespace jettison
