#include "codec/recordings/pace_input.h"

#include "codec/recordings/checked_members.h"
#include "core/json/field_writer.h"
#include "core/thresholds/fields.h"

namespace jettison {
template <typename Archive, FormOf<SoftHold> T>
void VisitFields(Archive& fields, T& hold) {
  fields("reason", hold.reason);
  fields("until", hold.until);
}

template <typename Archive, FormOf<PodGrowth> T>
void VisitFields(Archive& fields, T& growth) {
  fields("pod", growth.pod_uid);
  fields("growth", growth.growth);
}

template <typename Archive, FormOf<PaceInput> T>
void VisitFields(Archive& fields, T& pace) {
  fields("signal", pace.signal);
  fields("kubeletDecides", pace.kubelet_decides);
  fields("nextByClock", pace.next_by_clock);
  fields("ending", pace.ending);
  fields("growth", pace.growth);
  fields("growthOfPods", pace.growth_of_pods);
  fields("soft", pace.soft);
  fields("fastestPod", pace.fastest);
}

void WritePaceInput(const PaceInput& pace, JsonWriter& json) {
  WriteForm(pace, json);
}

Result<PaceInput> ReadPaceInput(const Value& value) {
  if (value.AsMap() == nullptr) return Fail(ErrorCode::kInvalidArgument, "must be a map");
  Faults faults;
  const Fields map(value, "", faults, "");
  PaceInput pace;
  CheckedMembers members(map);
  VisitFields(members, pace);
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(faults));
  return pace;
}

void WritePause(const EvictionPause& pause, JsonWriter& json) {
  json.Object([&] {
    json.Field("reason", NameOf(pause.reason));
    json.Field("until", FormatInstant(pause.until));
    json.Field("pod", pause.pod_uid);
  });
}

}  // namespace jettison
