#pragma once

#include <string>
#include <string_view>

#include "core/pods/pod_facts.h"
#include "http/message.h"
#include "view/snapshot.h"

namespace jettison {

// The answer that the node would give to a pod that arrived now.
struct AdmitAnswer {
  bool admit = true;
  std::string reason;   // "Evicted", "OutOfmemory"; empty where it may start
  std::string message;  // in the kubelet's words; where it may start only after others have made
                        // room, that
  std::vector<std::string> gives_way;  // "namespace/name" of pods that would be ended for it
};

// Judges by the node's conditions, then by the room beside the pods that are there. A pod of the
// same namespace and name does not count, since it would be replaced. `snapshot.node` must be set.
[[nodiscard]] AdmitAnswer AdmitNow(const Snapshot& snapshot, const PodFacts& pod);

// POST /api/v1/admit: `body` is one v1.Pod, JSON or YAML. Answers {"admit", "reason", "message",
// "givesWay", "pod", "qosClass", "priority", "critical", "warnings"}; a pod that could not be run
// here is answered 422 with every fault in it, a body that is no document 400.
[[nodiscard]] HttpResponse AnswerAdmit(const Snapshot& snapshot, std::string_view body);

}  // namespace jettison
