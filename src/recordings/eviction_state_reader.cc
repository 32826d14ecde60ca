#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>

#include "config/fields.h"
#include "recordings/eviction_state.h"

namespace jettison {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::optional<Instant> InstantOf(const Fields& fields, std::string_view key) {
  const auto text = fields.Text(key);
  if (!text) return std::nullopt;
  const auto at = ParseInstant(*text);
  if (!at) {
    fields.Refuse(key, *text, at.error().message);
    return std::nullopt;
  }
  return *at;
}

std::optional<Signal> SignalOf(const Fields& fields) {
  const auto name = fields.Text("signal").value_or("");
  const auto signal = SignalNamed(name);
  if (!signal) fields.Refuse("signal", name, "no signal has this name");
  return signal;
}

// Each item of a list of maps: visit(fields).
template <typename Visit>
void ForEach(const Fields& fields, std::string_view key, Visit visit) {
  const Value* const list = fields.Find(key);
  if (list == nullptr) return;
  if (list->AsList() == nullptr) return fields.Refuse(key, Shown(*list), "must be a list");
  Faults faults;
  std::size_t index = 0;
  for (const Value& item : *list->AsList()) {
    const std::string path = fmt::format("{}[{}]", key, index++);
    if (item.AsMap() == nullptr) return fields.Refuse(path, Shown(item), "must be a map");
    visit(Fields(item, "", faults, path + "."));
  }
  for (const Fault& fault : faults) fields.Refuse(fault.key, fault.value, fault.message);
}

class Reader {
 public:
  Reader(const Fields& fields, const std::vector<Threshold>& thresholds)
      : fields_(fields), thresholds_(thresholds) {}

  EvictionState Read() {
    ForEach(fields_, "thresholds", [this](const Fields& item) { ReadThreshold(item); });
    ForEach(fields_, "conditions", [this](const Fields& item) { ReadCondition(item); });
    ForEach(fields_, "observations", [this](const Fields& item) { ReadObservation(item); });
    if (const auto mark = fields_.Inside("lastEviction")) ReadMark(*mark);
    return state_;
  }

 private:
  // The first of that kind that no item before has named.
  std::optional<std::size_t> Take(Signal signal, bool hard) {
    for (std::size_t i = 0; i < thresholds_.size(); ++i) {
      if (taken_[i] || thresholds_[i].signal != signal || thresholds_[i].IsHard() != hard) continue;
      taken_.set(i);
      return i;
    }
    return std::nullopt;
  }

  void ReadThreshold(const Fields& item) {
    const auto signal = SignalOf(item);
    const auto hard = item.OneOf<bool>("kind", {{"hard", true}, {"soft", false}});
    if (!signal || !hard) return;
    const auto overdue = item.Flag("overdue").value_or(false);
    const auto since = InstantOf(item, "firstObserved");
    const auto index = Take(*signal, *hard);
    if (!index) return;
    state_.met[*index] = overdue;
    state_.first_observed_at[*index] = since;
  }

  void ReadCondition(const Fields& item) {
    const auto name = item.Text("type").value_or("");
    const auto status = item.OneOf<bool>("status", {{"True", true}, {"False", false}});
    for (const NodeConditionType type : kAllNodeConditions) {
      if (NameOf(type) != name) continue;
      if (status.value_or(false)) state_.conditions.Set(type);
      state_.condition_last_observed_at[IndexOf(type)] = InstantOf(item, "lastObserved");
      return;
    }
    item.Refuse("type", name, "no condition has this name");
  }

  void ReadObservation(const Fields& item) {
    const auto signal = SignalOf(item);
    if (!signal) return;
    state_.last_observations[*signal] =
        Observation{.available = item.Integer("available", -kMost, kMost).value_or(0),
                    .capacity = item.Integer("capacity", -kMost, kMost).value_or(0),
                    .time = InstantOf(item, "time")};
  }

  void ReadMark(const Fields& fields) {
    const auto at = InstantOf(fields, "at");
    if (!at) return fields.Refuse("at", "", "is missing; write an RFC 3339 time");
    EvictionMark& mark = state_.last_eviction.emplace();
    mark.at = *at;
    ForEach(fields, "observations", [&](const Fields& item) {
      const auto signal = SignalOf(item);
      const auto available = item.Integer("available", 0, kWholeTime);
      if (!signal || !available) return;
      if (!IsPressure(*signal)) return item.Refuse("signal", "", "must be a signal of pressure");
      mark.available[PressureIndexOf(*signal)] = static_cast<std::int32_t>(*available);
    });
  }

  const Fields& fields_;
  const std::vector<Threshold>& thresholds_;
  ThresholdSet taken_;
  EvictionState state_;
};

}  // namespace

Result<EvictionState> ReadEvictionState(const Value& state,
                                        const std::vector<Threshold>& thresholds) {
  if (state.IsNull()) return EvictionState{};
  if (state.AsMap() == nullptr) return Fail(ErrorCode::kInvalidArgument, "must be a map");
  Faults faults;
  const Fields fields(state, "", faults, "");
  EvictionState read = Reader(fields, thresholds).Read();
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(faults));
  return read;
}

}  // namespace jettison
