// links: jettison_kubernetes jettison_documents jettison_decide
//
// Any document, read as a manifest and as an API object. A manifest that is accepted has names that
// are safe in paths and runs through every rule about one pod; an API object that is accepted reads
// back equal after it was written.

#include "codec/documents/documents.h"
#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/pod_writer.h"
#include "core/model/pod.h"
#include "core/pods/admission.h"
#include "core/pods/pod_kind.h"
#include "fuzz/fuzz.h"

namespace {

using namespace jettison;

bool IsSafeInPaths(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

void RunThroughTheRules(const Pod& pod) {
  static_cast<void>(EffectiveRequest(pod, kMemoryResource).ToString());
  static_cast<void>(EffectiveLimit(pod, kEphemeralStorageResource));
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      static_cast<void>(OomScoreAdj(pod, container, 1));
      static_cast<void>(OomScoreAdj(pod, container, std::uint64_t{1} << 34U));
    }
  }
  NodeConditions conditions;
  conditions.Set(NodeConditionType::kMemoryPressure);
  static_cast<void>(Admit(pod, conditions, Profile::kStandalone));
}

void CheckManifest(const Value& document) {
  const PodReading reading = ReadPod(document, {.file = "m", .form = PodForm::kManifest});
  for (const Fault& fault : reading.faults) Require(!Describe(fault).empty());
  if (!reading.Ok()) return;
  const Pod& pod = reading.pod;
  Require(IsSafeInPaths(pod.name) && IsSafeInPaths(pod.namespace_));
  Require(pod.uid.empty() || IsSafeInPaths(pod.uid));
  Require(!pod.containers.empty());
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) Require(IsSafeInPaths(container.name));
  }
  for (const Volume& volume : pod.volumes) Require(IsSafeInPaths(volume.name));
}

void CheckApiObject(PodReading reading) {
  RunThroughTheRules(reading.pod);
  if (!reading.Ok()) return;
  const auto written = ParseJson(WritePod(reading.pod));
  Require(written.has_value());
  const PodReading again = ReadPod(*written, {.file = "", .form = PodForm::kApiObject});
  Require(again.Ok() && again.pod == reading.pod);
}

}  // namespace

void Fuzz(std::string_view text) {
  const auto documents = ParseDocuments(text);
  if (!documents) return;
  for (const Value& document : *documents) {
    CheckManifest(document);
    ForEachPod(document, {.file = "", .form = PodForm::kApiObject}, CheckApiObject);
  }
}
