#include <fmt/format.h>

#include <utility>

#include "api/answers.h"
#include "api/kubernetes/objects.h"
#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_reader.h"
#include "core/json/json_writer.h"
#include "core/pods/admission.h"
#include "core/pods/pod_kind.h"
#include "core/pods/room.h"

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

Occupant OccupantOf(const PodView& pod) {
  const bool only_observed = pod.protection == Protection::kObserved;
  return {.requests = pod.facts->requests,
          .priority = pod.priority,
          .ending =
              pod.activity == PodActivity::kTerminating || pod.activity == PodActivity::kCleaningUp,
          .stays = pod.activity == PodActivity::kWaiting || only_observed};
}

Room RoomFor(const Snapshot& snapshot, const PodFacts& pod, std::vector<const PodView*>& holders) {
  std::vector<Occupant> occupants;
  for (const PodView& other : snapshot.pods) {
    if (!TakesUpRoom(other, pod.priority)) continue;
    if (other.name == pod.pod.name && other.namespace_ == pod.pod.namespace_) continue;
    holders.push_back(&other);
    occupants.push_back(OccupantOf(other));
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

std::string AdmitJson(const AdmitAnswer& answer, const PodFacts& pod,
                      const std::vector<std::string>& warnings) {
  return JsonObject([&](JsonWriter& json) {
           json.Field("admit", answer.admit);
           json.Field("reason", answer.reason);
           json.Field("message", answer.message);
           json.Strings("givesWay", answer.gives_way);
           json.Field("pod", FullName(pod.pod));
           json.Field("qosClass", NameOf(QosClassOf(pod.pod)));
           json.Field("priority", pod.priority);
           json.Field("critical", pod.IsProtected());
           json.Strings("warnings", warnings);
         }) +
         '\n';
}

}  // namespace

AdmitAnswer AdmitNow(const Snapshot& snapshot, const PodFacts& pod) {
  AdmissionAnswer admission = Admit(pod.pod, snapshot.conditions, snapshot.node->config.profile);
  if (!admission.admit) {
    return {false, std::move(admission.reason), std::move(admission.message)};
  }
  std::vector<const PodView*> holders;
  const Room room = RoomFor(snapshot, pod, holders);
  if (room.shortage) {
    return {false, room.shortage->Reason(), room.shortage->Message()};
  }
  AdmitAnswer answer;
  if (room.Awaited())
    answer.message = "the pod would wait for pods that are ending to free their resources";
  for (const std::size_t i : room.give_way) {
    answer.gives_way.push_back(FullName(holders[i]->facts->pod));
  }
  return answer;
}

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
  return {.body = AdmitJson(AdmitNow(snapshot, pod), pod, reading.warnings)};
}

}  // namespace jettison
