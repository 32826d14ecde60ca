#include "recordings/pace_input.h"

#include <limits>

#include "config/fields.h"

namespace jettison {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::optional<Instant> InstantOf(const Fields& fields, std::string_view key) {
  const auto text = fields.Text(key);
  if (!text) return std::nullopt;
  const auto at = ParseInstant(*text);
  if (at) return *at;
  fields.Refuse(key, *text, at.error().message);
  return std::nullopt;
}

}  // namespace

void WritePaceInput(const PaceInput& pace, JsonWriter& json) {
  json.Object([&] {
    json.Field("signal", NameOf(pace.signal));
    if (pace.kubelet_decides) json.Field("kubeletDecides", FormatInstant(*pace.kubelet_decides));
    if (pace.next_by_clock) json.Field("nextByClock", FormatInstant(*pace.next_by_clock));
    json.Field("ending", pace.ending);
    json.Field("growth", pace.growth);
    json.Field("growthOfPods", pace.growth_of_pods);
  });
}

Result<PaceInput> ReadPaceInput(const Value& value) {
  if (value.AsMap() == nullptr) return Fail(ErrorCode::kInvalidArgument, "must be a map");
  Faults faults;
  const Fields fields(value, "", faults, "");
  PaceInput pace;
  const auto name = fields.Text("signal").value_or("");
  const auto signal = SignalNamed(name);
  if (signal) {
    pace.signal = *signal;
  } else {
    fields.Refuse("signal", name, "no signal has this name");
  }
  pace.kubelet_decides = InstantOf(fields, "kubeletDecides");
  pace.next_by_clock = InstantOf(fields, "nextByClock");
  pace.ending = fields.Integer("ending", -kMost, kMost).value_or(0);
  pace.growth = fields.Integer("growth", -kMost, kMost);
  pace.growth_of_pods = fields.Integer("growthOfPods", -kMost, kMost).value_or(0);
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
