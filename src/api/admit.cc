#include <fmt/format.h>

#include <utility>

#include "api/api.h"
#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_reader.h"
#include "core/json/json_writer.h"
#include "core/pods/admission.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

// The memory that the values of a body may use: it is enough for 10,000 values, which no Pod has.
// Together with the parsers' own memory it stays within 4 MiB (docs/http.md).
constexpr std::size_t kMostMemoryOfBody = std::size_t{768} << 10;

// A pod without containers on the node takes no room, unless other pods are being ended to make
// room for it, and one of this priority does not outrank it.
bool TakesUpRoom(const PodView& pod, std::int32_t priority) {
  if (pod.activity == PodActivity::kFinished) return false;
  if (pod.activity != PodActivity::kWaiting) return true;
  return pod.status.phase == PodPhase::kPending && !pod.comes_back_at && pod.priority >= priority;
}

// `holders`: the pods that hold what there is, by the indices that the room names.
Room RoomBeside(const Snapshot& snapshot, const PodFacts& pod,
                std::vector<const PodView*>& holders) {
  std::vector<Occupant> occupants;
  for (const PodView& other : snapshot.pods) {
    if (!TakesUpRoom(other, pod.priority)) continue;
    if (other.name == pod.pod.name && other.namespace_ == pod.pod.namespace_) continue;
    holders.push_back(&other);
    occupants.push_back({.requests = other.facts->requests,
                         .priority = other.priority,
                         .ending = other.activity == PodActivity::kTerminating ||
                                   other.activity == PodActivity::kCleaningUp,
                         .stays = other.activity == PodActivity::kWaiting ||
                                  other.protection == Protection::kObserved});
  }
  return RoomFor(occupants, pod.priority, pod.requests, snapshot.node->allocatable);
}

std::vector<StatusCause> CausesOf(const Faults& faults) {
  std::vector<StatusCause> causes;
  for (const Fault& fault : faults) {
    causes.push_back({fault.key, fault.value.empty()
                                     ? fault.message
                                     : fmt::format("\"{}\": {}", fault.value, fault.message)});
  }
  return causes;
}

// What the node would answer to a pod that arrived now.
std::string AdmitJson(const Snapshot& snapshot, const PodFacts& pod,
                      const std::vector<std::string>& warnings) {
  AdmissionAnswer admission = Admit(pod.pod, snapshot.conditions, snapshot.node->config.profile);
  std::vector<std::string> gives_way;
  if (admission.admit) {
    std::vector<const PodView*> holders;
    const Room room = RoomBeside(snapshot, pod, holders);
    if (room.shortage) {
      admission = {
          .admit = false, .reason = room.shortage->Reason(), .message = room.shortage->Message()};
    } else if (room.Awaited()) {
      admission.message = "the pod would wait for pods that are ending to free their resources";
    }
    if (!room.shortage) {
      for (const std::size_t i : room.give_way) {
        gives_way.push_back(FullName(holders[i]->facts->pod));
      }
    }
  }
  return JsonObject([&](JsonWriter& json) {
    json.Field("admit", admission.admit);
    json.Field("reason", admission.reason);
    json.Field("message", admission.message);
    json.Strings("givesWay", gives_way);
    json.Field("pod", FullName(pod.pod));
    json.Field("qosClass", NameOf(QosClassOf(pod.pod)));
    json.Field("priority", pod.priority);
    json.Field("critical", pod.IsProtected());
    json.Strings("warnings", warnings);
  });
}

}  // namespace

HttpResponse AnswerAdmit(const Snapshot& snapshot, std::string_view body) {
  const auto documents = ParseDocuments(body, kMostMemoryOfBody);
  if (!documents)
    return StatusAnswer(400,
                        "the body is not a JSON or YAML document: " + documents.error().message);
  if (documents->size() != 1) {
    return StatusAnswer(400, fmt::format("the body must be one v1.Pod, JSON or YAML; there are {} "
                                         "documents in it",
                                         documents->size()));
  }
  PodReading reading = ReadPod(documents->front(), {.file = "", .form = PodForm::kManifest});
  if (!reading.Ok()) {
    return StatusAnswer(422, "the pod cannot be run here: " + DescribeAll(reading.faults),
                        CausesOf(reading.faults));
  }
  const PodFacts pod = FactsOf(std::move(reading.pod), snapshot.node->config.profile);
  return {.body = AdmitJson(snapshot, pod, reading.warnings)};
}

}  // namespace jettison
