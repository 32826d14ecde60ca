#include "core/config/read_config.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/config/jettison_configuration.h"
#include "core/config/kubelet_configuration.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/spelling.h"

namespace jettison {
namespace {

constexpr std::string_view kKubelet = "KubeletConfiguration";
constexpr std::string_view kJettison = "JettisonConfiguration";
constexpr auto kKinds = std::to_array<std::string_view>({kKubelet, kJettison});
constexpr std::string_view kKubeletVersion = "kubelet.config.k8s.io/v1beta1";
constexpr std::string_view kJettisonVersion = "jettison.io/v1alpha1";
constexpr const char* kKubeletsLogs = "/var/log/pods";  // podLogsDir, unless it says otherwise

// The documents by kind, each at most once.
struct Sorted {
  const ConfigDocument* kubelet = nullptr;
  const ConfigDocument* jettison = nullptr;
};

// Whether apiVersion is the one that this kind is read in.
void CheckVersion(const Fields& fields, std::string_view kind, std::string_view wanted) {
  const auto version = fields.Text("apiVersion");
  if (version == wanted || (!version && fields.Find("apiVersion") != nullptr)) return;
  fields.Refuse("apiVersion", version.value_or(""),
                fmt::format("must be {} where kind is {}", wanted, kind));
}

void SortIn(const ConfigDocument& document, Sorted& sorted, Faults& faults) {
  if (document.document.AsMap() == nullptr) {
    AddFault(faults,
             {document.file, "", Shown(document.document),
              fmt::format("line {}: a configuration is a map with apiVersion and kind, not {}",
                          document.document.line(), document.document.KindName())});
    return;
  }
  const Fields fields(document.document, document.file, faults);
  const auto kind = fields.Text("kind");
  if (!kind && fields.Find("kind") != nullptr) return;
  if (kind != kKubelet && kind != kJettison) {
    const std::string found = kind.value_or("");
    fields.Refuse("kind", found,
                  fmt::format("must be {}{}", Alternatives(kKinds), DidYouMean(found, kKinds)));
    return;
  }
  const bool kubelet = kind == kKubelet;
  CheckVersion(fields, *kind, kubelet ? kKubeletVersion : kJettisonVersion);
  const ConfigDocument*& place = kubelet ? sorted.kubelet : sorted.jettison;
  if (place != nullptr) {
    fields.Refuse("kind", *kind,
                  fmt::format("there may be one {} only; the first stands in {}, line {}", *kind,
                              place->file, place->document.line()));
    return;
  }
  place = &document;
}

constexpr const char* kKubeletLogs = "/var/log/pods";

// What depends on more than one document.
void FillIn(AgentConfig& config) {
  if (config.source == SourceKind::kKubernetes) {
    config.static_pod_path.clear();  // the kubelet's to run
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

// A slice's name says where it is, so a container runtime cannot be told to make it elsewhere.
void CheckSlices(const ConfigDocument& kubelet, const AgentConfig& config, Faults& faults) {
  if (config.cgroup_driver != CgroupDriver::kSystemd || config.runtime != RuntimeKind::kCri) return;
  if (config.node_cgroup.empty() && config.cgroup_root.empty()) return;
  Fields(kubelet.document, kubelet.file, faults)
      .Refuse("cgroupDriver", "systemd",
              "cannot be combined with nodeCgroup or cgroupRoot where runtime is cri: systemd "
              "places kubepods.slice at the root");
}

void ReadKubelet(const ConfigDocument& document, ConfigReading& reading) {
  const Fields fields(document.document, document.file, reading.faults);
  ApplyKubeletConfiguration(fields, reading.config, reading.warnings, reading.faults);
}

// Nothing of the kubelet's is known beside ours.
void ReadWithoutKubelet(const Sorted& sorted, const KubeletSide& kubelet, ConfigReading& reading) {
  if (sorted.kubelet != nullptr) {
    ReadKubelet(*sorted.kubelet, reading);
  } else {
    ApplyKubeletDefaults(reading.config);
  }
  if (kubelet.why_not.empty()) return;
  const ConfigDocument* const ours = sorted.kubelet != nullptr ? sorted.kubelet : sorted.jettison;
  const Value* hard =
      sorted.kubelet == nullptr ? nullptr : sorted.kubelet->document.Find("evictionHard");
  if (hard == nullptr || hard->IsNull()) {
    AddFault(reading.faults,
             {ours->file, "evictionHard", "",
              fmt::format("must be set where the kubelet's own configuration is not known, as "
                          "nothing is evicted on a guess ({})",
                          kubelet.why_not)});
    return;
  }
  AddFault(
      reading.warnings,
      {ours->file, "evictionHard", "",
       fmt::format("it is not known whether it lies above the kubelet's ({})", kubelet.why_not)});
}

// The kubelet's is the default for ours.
void ReadBesideKubelet(const Sorted& sorted, const ConfigDocument& theirs, ConfigReading& reading) {
  const MergedKubelet merged = MergeWithKubelet(sorted.kubelet, theirs, reading.faults);
  ConfigReading part;
  part.config = std::move(reading.config);
  const std::string file = sorted.kubelet == nullptr ? theirs.file : sorted.kubelet->file;
  ReadKubelet({file, merged.document}, part);
  SortByFile(sorted.kubelet, theirs, part.faults, part.warnings);
  reading.config = std::move(part.config);
  for (Fault& fault : part.faults) AddFault(reading.faults, std::move(fault));
  for (Fault& warning : part.warnings) AddFault(reading.warnings, std::move(warning));
  std::vector<Threshold>& ours = reading.config.eviction.thresholds;
  for (Fault& fault : CheckAboveKubelet(ours, merged.theirs, {})) {
    fault.file = file;
    AddFault(reading.not_above_kubelet, std::move(fault));
  }
  ours = ThoseAboveKubelet(std::move(ours), merged.theirs, {});
  reading.kubelet_thresholds = merged.theirs;
}

// What a KubeletConfiguration of ours may not say beside a kubelet.
void CheckBesideKubelet(const Sorted& sorted, ConfigReading& reading) {
  if (sorted.kubelet != nullptr && !reading.config.static_pod_path.empty()) {
    Fields(sorted.kubelet->document, sorted.kubelet->file, reading.faults)
        .Refuse("staticPodPath", reading.config.static_pod_path,
                "must not be set where source is kubernetes: the kubelet runs the pods");
  }
  LeaveToKubelet(reading.config);
  if (reading.config.logs.directory.empty()) reading.config.logs.directory = kKubeletsLogs;
}

SourceKind SourceIn(const ConfigDocument* jettison) {
  const Value* source = jettison == nullptr ? nullptr : jettison->document.Find("source");
  const std::string* name = source == nullptr ? nullptr : source->AsString();
  const bool is_kubernetes = name != nullptr && *name == NameOf(SourceKind::kKubernetes);
  return is_kubernetes ? SourceKind::kKubernetes : SourceKind::kManifests;
}

}  // namespace

ConfigReading ReadConfig(const std::vector<ConfigDocument>& documents, const KubeletSide& kubelet) {
  ConfigReading reading;
  Sorted sorted;
  for (const ConfigDocument& document : documents) SortIn(document, sorted, reading.faults);
  const bool beside_kubelet = SourceIn(sorted.jettison) == SourceKind::kKubernetes;
  if (beside_kubelet && kubelet.document) {
    ReadBesideKubelet(sorted, *kubelet.document, reading);
  } else {
    ReadWithoutKubelet(sorted, beside_kubelet ? kubelet : KubeletSide{}, reading);
  }
  if (beside_kubelet) CheckBesideKubelet(sorted, reading);
  if (sorted.jettison != nullptr) {
    const Fields fields(sorted.jettison->document, sorted.jettison->file, reading.faults);
    ApplyJettisonConfiguration(fields, reading.config, reading.warnings);
  }
  FillIn(reading.config);
  if (sorted.kubelet != nullptr) CheckSlices(*sorted.kubelet, reading.config, reading.faults);
  return reading;
}

}  // namespace jettison
