#include "cli/overview_reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <concepts>
#include <system_error>

#include "model/value.h"
#include "platform/documents/json.h"

namespace jettison {
namespace {

// The members of one map, each read into a field that keeps its value where the member is missing
// or of another kind; whether it was read is the answer where that matters.
class Members {
 public:
  explicit Members(const Value& map) : map_(map) {}

  bool Read(std::string_view key, std::string& into) const {
    const Value* value = map_.Find(key);
    if (value == nullptr || value->AsString() == nullptr) return false;
    into = *value->AsString();
    return true;
  }
  bool Read(std::string_view key, bool& into) const {
    const Value* value = map_.Find(key);
    if (value == nullptr || value->AsBool() == nullptr) return false;
    into = *value->AsBool();
    return true;
  }
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number>
  bool Read(std::string_view key, Number& into) const {
    const Value* value = map_.Find(key);
    if (value == nullptr || value->AsNumber() == nullptr) return false;
    const std::string& text = value->AsNumber()->text;
    return std::from_chars(text.data(), text.data() + text.size(), into).ec == std::errc();
  }
  bool Read(std::string_view key, Instant& into) const {
    std::string text;
    if (!Read(key, text)) return false;
    const auto at = ParseInstant(text);
    if (at) into = *at;
    return at.has_value();
  }
  bool Read(std::string_view key, Duration& into) const {
    constexpr double kMost = 9e9;  // seconds; 64 bits hold a little more of their billionths
    double seconds = 0;
    if (!Read(key, seconds)) return false;
    into = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(std::clamp(seconds, -kMost, kMost)));
    return true;
  }
  bool Read(std::string_view key, Signal& into) const {
    std::string name;
    const auto signal = Read(key, name) ? SignalNamed(name) : std::nullopt;
    into = signal.value_or(into);
    return signal.has_value();
  }
  template <typename T>
  void Read(std::string_view key, std::optional<T>& into) const {
    T value{};
    if (Read(key, value)) into = value;
  }
  void Read(std::string_view key, std::vector<std::string>& into) const {
    for (const Value& entry : ListOf(key)) {
      if (entry.AsString() != nullptr) into.push_back(*entry.AsString());
    }
  }
  template <typename T>
  void ReadEach(std::string_view key, std::vector<T>& into) const {
    for (const Value& entry : ListOf(key)) ReadInto(Members(entry), into.emplace_back());
  }

 private:
  [[nodiscard]] const Value::List& ListOf(std::string_view key) const {
    static const Value::List kNone;
    const Value* value = map_.Find(key);
    return value != nullptr && value->AsList() != nullptr ? *value->AsList() : kNone;
  }
  static void ReadInto(const Members& from, OverviewThreshold& threshold);
  static void ReadInto(const Members& from, OverviewSignal& signal);
  static void ReadInto(const Members& from, OverviewCondition& condition);
  static void ReadInto(const Members& from, OverviewTaint& taint);
  static void ReadInto(const Members& from, OverviewPod& pod);
  static void ReadInto(const Members& from, OverviewEvent& event);

  const Value& map_;
};

void Members::ReadInto(const Members& from, OverviewThreshold& threshold) {
  std::string kind;
  from.Read("kind", kind);
  threshold.hard = kind != "soft";
  from.Read("value", threshold.value);
  from.Read("amount", threshold.amount);
  from.Read("minReclaim", threshold.min_reclaim);
  from.Read("gracePeriodSeconds", threshold.grace_period);
  from.Read("met", threshold.met);
  from.Read("overdue", threshold.overdue);
  from.Read("since", threshold.since);
  from.Read("timeToSeconds", threshold.time_to);
}

void Members::ReadInto(const Members& from, OverviewSignal& signal) {
  from.Read("signal", signal.signal);
  from.Read("available", signal.available);
  from.Read("capacity", signal.capacity);
  from.Read("trendPerSecond", signal.trend_per_second);
  from.ReadEach("thresholds", signal.thresholds);
}

void Members::ReadInto(const Members& from, OverviewCondition& condition) {
  std::string status;
  from.Read("type", condition.type);
  from.Read("status", status);
  condition.status = status == "True";
  from.Read("since", condition.since);
  from.Read("reason", condition.reason);
  from.Read("message", condition.message);
}

void Members::ReadInto(const Members& from, OverviewTaint& taint) {
  from.Read("key", taint.key);
  from.Read("effect", taint.effect);
}

void Members::ReadInto(const Members& from, OverviewPod& pod) {
  from.Read("namespace", pod.namespace_);
  from.Read("name", pod.name);
  from.Read("uid", pod.uid);
  from.Read("place", pod.place);
  from.Read("qos", pod.qos);
  from.Read("priority", pod.priority);
  from.Read("critical", pod.critical);
  from.Read("activity", pod.activity);
  from.Read("phase", pod.phase);
  from.Read("reason", pod.reason);
  from.Read("memoryBytes", pod.memory_bytes);
  from.Read("requestBytes", pod.request_bytes);
  from.Read("processes", pod.processes);
  from.Read("ephemeralBytes", pod.ephemeral_bytes);
  from.Read("overRequest", pod.over_request);
  from.Read("excess", pod.excess);
  from.Read("evictions", pod.evictions);
  from.Read("comesBackAt", pod.comes_back_at);
  from.Read("why", pod.why);
}

void Members::ReadInto(const Members& from, OverviewEvent& event) {
  from.Read("at", event.at);
  from.Read("count", event.count);
  from.Read("type", event.type);
  from.Read("object", event.object);
  from.Read("reason", event.reason);
  from.Read("message", event.message);
}

OverviewPass PassOf(const Value& value) {
  const Members from(value);
  OverviewPass pass;
  from.Read("at", pass.at);
  from.Read("actingFor", pass.acting_for);
  from.Read("evictions", pass.evictions);
  from.Read("reclaimSteps", pass.reclaim_steps);
  from.Read("reclaimUnderWay", pass.reclaim_under_way);
  from.Read("relievedByReclaim", pass.relieved_by_reclaim);
  return pass;
}

}  // namespace

Result<Overview> ReadOverview(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return Fail(document.error().In("the agent's overview"));
  if (document->Find("signals") == nullptr || document->Find("at") == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "the agent's overview has no signals");
  }
  const Members from(*document);
  Overview overview;
  from.Read("at", overview.at);
  from.Read("node", overview.node);
  from.Read("version", overview.version);
  from.Read("startedAt", overview.started_at);
  from.Read("dryRun", overview.dry_run);
  from.Read("phase", overview.phase);
  from.Read("memoryHeld", overview.memory_held);
  from.Read("evictionWaits", overview.eviction_waits);
  from.ReadEach("conditions", overview.conditions);
  from.ReadEach("taints", overview.taints);
  from.ReadEach("signals", overview.signals);
  from.Read("nearest", overview.nearest);
  from.Read("rankedFor", overview.ranked_for);
  from.ReadEach("pods", overview.pods);
  from.Read("podsMeasuredAt", overview.pods_measured_at);
  from.ReadEach("events", overview.events);
  from.Read("passes", overview.passes);
  if (const Value* pass = document->Find("lastPass")) overview.last_pass = PassOf(*pass);
  return overview;
}

}  // namespace jettison
