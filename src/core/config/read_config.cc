#include "core/config/read_config.h"

#include <fmt/format.h>

#include <array>

#include "core/config/jettison_configuration.h"
#include "core/config/kubelet_configuration.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/spelling.h"

namespace jettison {
namespace {

constexpr std::string_view kKubelet = "KubeletConfiguration";
constexpr std::string_view kJettison = "JettisonConfiguration";
constexpr auto kKinds = std::to_array<std::string_view>({kKubelet, kJettison});
constexpr std::string_view kKubeletVersion = "kubelet.config.k8s.io/v1beta1";
constexpr std::string_view kJettisonVersion = "jettison.io/v1alpha1";

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

}  // namespace

ConfigReading ReadConfig(const std::vector<ConfigDocument>& documents) {
  ConfigReading reading;
  Sorted sorted;
  for (const ConfigDocument& document : documents) SortIn(document, sorted, reading.faults);
  if (sorted.kubelet != nullptr) {
    const Fields fields(sorted.kubelet->document, sorted.kubelet->file, reading.faults);
    ApplyKubeletConfiguration(fields, reading.config, reading.warnings, reading.faults);
  } else {
    ApplyKubeletDefaults(reading.config);
  }
  if (sorted.jettison != nullptr) {
    const Fields fields(sorted.jettison->document, sorted.jettison->file, reading.faults);
    ApplyJettisonConfiguration(fields, reading.config, reading.warnings);
  }
  FillIn(reading.config);
  if (sorted.kubelet != nullptr) CheckSlices(*sorted.kubelet, reading.config, reading.faults);
  return reading;
}

}  // namespace jettison
