#include "core/config/read_config.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

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
  if (config.image_service_endpoint.empty()) {
    config.image_service_endpoint = config.container_runtime_endpoint;
  }
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

// Adds the name of the document's file to the faults that `read` finds.
template <typename Read>
void WithFiles(const ConfigDocument& document, ConfigReading& reading, Read read) {
  const std::size_t faults = reading.faults.size();
  const std::size_t warnings = reading.warnings.size();
  read(Fields(document.document, document.file, reading.faults));
  NameFiles(document, std::span(reading.faults).subspan(faults));
  NameFiles(document, std::span(reading.warnings).subspan(warnings));
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
  if (sorted.kubelet) {
    ReadKubelet(*sorted.kubelet, reading);
  } else {
    ApplyKubeletDefaults(reading.config);
  }
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
  ConfigReading part;
  part.config = std::move(reading.config);
  ConfigDocument both = mine == nullptr ? ConfigDocument{theirs.file, {}} : *mine;
  both.document = merged.document;
  ReadKubelet(both, part);
  SortByFile(mine, theirs, part.faults, part.warnings);
  reading.config = std::move(part.config);
  reading.config.own_memory_threshold = merged.own_memory_threshold;
  if (merged.own_memory_threshold) {
    AddFault(reading.warnings,
             {theirs.file, "evictionHard[memory.available]", "",
              fmt::format("the kubelet has no such threshold, so the agent has one of its own, "
                          "{}; kubernetes.defaultMemoryThreshold: false switches it off",
                          ThresholdText(WithMargin(Signal::kMemoryAvailable,
                                                   KubeletsDefaultMemory().value)))});
  }
  for (Fault& fault : part.faults) AddFault(reading.faults, std::move(fault));
  for (Fault& warning : part.warnings) AddFault(reading.warnings, std::move(warning));
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
      for (std::string& field : FieldsFrom(**kind, document.file)) {
        drop_in.fields.push_back(std::move(field));
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
