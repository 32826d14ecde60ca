#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/model/value.h"

namespace jettison {

namespace kube_json {
class Field;
// `requests` and `limits` of a container or a pod; a bad quantity is a fault and left out.
[[nodiscard]] ResourceRequirements ReadResources(const Field& field);
}  // namespace kube_json

// How a pod is to be read.
enum class PodForm : std::uint8_t {
  // Written by people, to be run here: names, references and amounts are checked, the API's
  // defaults applied, and what this agent cannot do is said.
  kManifest,
  // Comes from an API server, a recording or this agent itself: taken as it stands. Only what
  // cannot be understood is a fault.
  kApiObject,
};

struct PodSource {
  std::string file;  // named in faults; may be empty
  PodForm form = PodForm::kManifest;
};

// A pod, and what is wrong with it. With faults the pod holds what could be understood: enough to
// name it, never enough to run it.
struct PodReading {
  Pod pod;
  Faults faults;                      // with field paths: "spec.containers[0].name"
  std::vector<std::string> warnings;  // "PATH: what has no effect here"

  [[nodiscard]] bool Ok() const { return faults.empty(); }
};

// Reads one core/v1 Pod. Every fault is found at once.
//
// Defaults applied to a manifest (as the API server does): namespace `default`; grace period 30 s;
// pull policy by the image's tag; requests of a container from its limits; pod-level requests from
// the containers' sum, then from the pod-level limits; a volume without source is an emptyDir;
// priority from the two system priority classes.
[[nodiscard]] PodReading ReadPod(const Value& document, const PodSource& source);

// Reads every pod of a document: one Pod, a List or PodList (`kubectl get pods -o json`), or a
// plain list of Pods, in order. Paths begin with the item ("items[3].spec..."). Items of a List
// that are no Pods are faults. A document that is none of these answers with one faulty reading.
void ForEachPod(const Value& document, const PodSource& source,
                const std::function<void(PodReading)>& visit);

}  // namespace jettison
