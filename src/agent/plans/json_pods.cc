#include "agent/plans/json_pods.h"

#include <memory>
#include <utility>

#include "agent/plans/plan_of.h"
#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/pod_writer.h"
#include "core/model/fault.h"

namespace jettison {

std::string JsonPods::Write(const Pod& pod) const {
  return WritePod(pod);
}

Result<PodPlan> JsonPods::Read(std::string_view text) const {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  PodReading reading = ReadPod(*document, {.file = {}, .form = PodForm::kApiObject});
  if (!reading.Ok()) return Fail(ErrorCode::kInvalidArgument, Describe(reading.faults.front()));
  return PlanOf(std::make_shared<const Pod>(std::move(reading.pod)), settings_);
}

}  // namespace jettison
