#include "codec/kubernetes/pod_reader.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "codec/kubernetes/container_reader.h"
#include "codec/kubernetes/field.h"
#include "codec/kubernetes/pod_checks.h"
#include "codec/kubernetes/pod_defaults.h"
#include "codec/kubernetes/resources_reader.h"
#include "codec/kubernetes/security_reader.h"
#include "codec/kubernetes/volume_reader.h"

namespace jettison {
namespace {

using kube_json::FaultLog;
using kube_json::Field;

using TextMap = std::map<std::string, std::string, std::less<>>;

TextMap ReadTextMap(const Field& field) {
  TextMap map;
  field.ForEachEntry([&](std::string_view key, const Field& entry) {
    map.emplace(key, entry.String().value_or(""));
  });
  return map;
}

// What is read, and what a cluster's API server or its clients set.
constexpr std::string_view kMetadataFields[] = {"name",
                                                "namespace",
                                                "uid",
                                                "labels",
                                                "annotations",
                                                "generateName",
                                                "creationTimestamp",
                                                "resourceVersion",
                                                "generation",
                                                "ownerReferences",
                                                "finalizers",
                                                "managedFields",
                                                "deletionTimestamp",
                                                "deletionGracePeriodSeconds",
                                                "selfLink"};
constexpr std::string_view kPodFields[] = {"apiVersion", "kind", "metadata", "spec", "status"};

void ReadMetadata(const Field& metadata, Pod& pod) {
  if (!metadata.IsMap()) return;
  pod.name = metadata.Member("name").String().value_or("");
  pod.namespace_ = metadata.Member("namespace").String().value_or("");
  if (pod.namespace_.empty()) pod.namespace_ = "default";
  pod.uid = metadata.Member("uid").String().value_or("");
  pod.labels = ReadTextMap(metadata.Member("labels"));
  pod.annotations = ReadTextMap(metadata.Member("annotations"));
  metadata.WarnOfOthers(kMetadataFields);
}

Toleration ReadToleration(const Field& field) {
  Toleration toleration;
  if (!field.IsMap()) return toleration;
  toleration.key = field.Member("key").String().value_or("");
  toleration.op = field.Member("operator").String().value_or("");
  toleration.value = field.Member("value").String().value_or("");
  toleration.effect = field.Member("effect").String().value_or("");
  return toleration;
}

void ReadContainersAndVolumes(const Field& spec, Pod& pod) {
  spec.Member("initContainers").ForEachItem([&](const Field& item) {
    pod.init_containers.push_back(kube_json::ReadContainer(item));
  });
  spec.Member("containers").ForEachItem([&](const Field& item) {
    pod.containers.push_back(kube_json::ReadContainer(item));
  });
  spec.Member("volumes").ForEachItem(
      [&](const Field& item) { pod.volumes.push_back(kube_json::ReadVolume(item)); });
}

void ReadScheduling(const Field& spec, Pod& pod) {
  spec.Member("tolerations").ForEachItem([&](const Field& item) {
    pod.tolerations.push_back(ReadToleration(item));
  });
  const auto priority = spec.Member("priority")
                            .Integer(std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max());
  if (priority) pod.priority = static_cast<std::int32_t>(*priority);
  pod.priority_class_name = spec.Member("priorityClassName").String().value_or("");
}

// What is read, and what has no meaning without a cluster: that is passed over in silence.
constexpr std::string_view kSpecFields[] = {"initContainers",
                                            "containers",
                                            "volumes",
                                            "restartPolicy",
                                            "tolerations",
                                            "terminationGracePeriodSeconds",
                                            "priority",
                                            "priorityClassName",
                                            "overhead",
                                            "resources",
                                            "hostNetwork",
                                            "affinity",
                                            "hostPID",
                                            "hostIPC",
                                            "securityContext",
                                            "nodeName",
                                            "automountServiceAccountToken",
                                            "nodeSelector",
                                            "dnsPolicy",
                                            "preemptionPolicy",
                                            "enableServiceLinks",
                                            "schedulerName",
                                            "imagePullSecrets",
                                            "serviceAccount",
                                            "serviceAccountName",
                                            "schedulingGates",
                                            "topologySpreadConstraints"};

void ReadSpec(const Field& spec, Pod& pod) {
  if (!spec.IsMap()) return;
  ReadContainersAndVolumes(spec, pod);
  ReadScheduling(spec, pod);
  pod.restart_policy =
      kube_json::ReadRestartPolicy(spec.Member("restartPolicy")).value_or(RestartPolicy::kAlways);
  pod.termination_grace_period_seconds = spec.Member("terminationGracePeriodSeconds")
                                             .Integer(std::numeric_limits<std::int64_t>::min(),
                                                      std::numeric_limits<std::int64_t>::max());
  pod.overhead = kube_json::ReadResourceList(spec.Member("overhead"));
  const Field resources = spec.Member("resources");
  if (resources.IsMap()) pod.resources = kube_json::ReadResources(resources);
  pod.host_network = spec.Member("hostNetwork").Bool().value_or(false);
  pod.host_pid = spec.Member("hostPID").Bool().value_or(false);
  pod.host_ipc = spec.Member("hostIPC").Bool().value_or(false);
  pod.security_context = kube_json::ReadPodSecurityContext(spec.Member("securityContext"));
  spec.WarnOfOthers(kSpecFields);
}

void ReadStatus(const Field& status, Pod& pod) {
  if (!status.IsMap()) return;
  const Field qos_class = status.Member("qosClass");
  const auto name = qos_class.String();
  if (!name || name->empty()) return;
  pod.status_qos_class = QosClassNamed(*name);
  if (!pod.status_qos_class) qos_class.Fault("must be Guaranteed, Burstable or BestEffort");
}

// A list may hold other things than pods; recorded pods often come without a kind.
void RefuseOtherKinds(const Field& kind) {
  if (kind.IsPresent() && kube_json::TextOf(kind.value()) != "Pod") kind.Fault("must be Pod");
}

PodReading ReadPodAt(const Value& document, const PodSource& source, std::string_view prefix) {
  const bool manifest = source.form == PodForm::kManifest;
  FaultLog log{.file = source.file, .lenient = !manifest, .faults = {}, .warnings = {}};
  const Field root(document, log, prefix);
  PodReading reading;
  if (!root.IsPresent()) root.Fault("must be a Pod, found nothing");
  if (root.IsMap()) {
    ReadMetadata(root.Member("metadata"), reading.pod);
    ReadSpec(root.Member("spec"), reading.pod);
    ReadStatus(root.Member("status"), reading.pod);
    RefuseOtherKinds(root.Member("kind"));
    root.WarnOfOthers(kPodFields);
    if (manifest) {
      kube_json::ApplyPodDefaults(reading.pod);
      kube_json::CheckManifest(root, reading.pod);
    }
  }
  reading.faults = std::move(log.faults);
  reading.warnings = std::move(log.warnings);
  CloseLines(reading.warnings, log.more_warnings);
  return reading;
}

bool IsListOfPods(const Value& document) {
  const Value* kind = document.Find("kind");
  const std::string* name = kind == nullptr ? nullptr : kind->AsString();
  return name != nullptr && (*name == "List" || *name == "PodList");
}

}  // namespace

PodReading ReadPod(const Value& document, const PodSource& source) {
  return ReadPodAt(document, source, {});
}

void ForEachPod(const Value& document, const PodSource& source,
                const std::function<void(PodReading)>& visit) {
  const bool wrapped = IsListOfPods(document);
  const Value* items = wrapped ? document.Find("items") : &document;
  const Value::List* list = items == nullptr ? nullptr : items->AsList();
  if (list == nullptr) {
    if (!wrapped) return visit(ReadPod(document, source));
    if (items == nullptr || items->IsNull()) return;  // an empty list
    return visit(ReadPodAt(*items, source, "items"));
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string prefix = fmt::format("{}[{}]", wrapped ? "items" : "", i);
    visit(ReadPodAt((*list)[i], source, prefix));
  }
}

}  // namespace jettison
