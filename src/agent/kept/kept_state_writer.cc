#include <algorithm>
#include <string>
#include <utility>

#include "agent/kept/kept_state_text.h"
#include "agent/loop/time_mark.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

class Writer {
 public:
  explicit Writer(const Clock& clock) : now_(clock.Now()), mark_(clock.Mark()) {}

  void Write(const KeptNode& node, JsonWriter& json) const {
    json.Object([&] {
      json.Array("conditions", [&] {
        for (const KeptCondition& condition : node.conditions) Write(condition, json);
      });
      json.Array("thresholds", [&] {
        for (const KeptThreshold& threshold : node.thresholds) Write(threshold, json);
      });
      if (node.last_eviction) Write(*node.last_eviction, json);
      if (node.wait) Write(*node.wait, json);
    });
  }

  void Write(const KeptPod& pod, JsonWriter& json) const {
    json.Object([&] {
      json.Field("name", pod.name);
      json.Field("uid", pod.uid);
      json.Field("evictions", pod.evictions);
      json.Field("nextDelay", FormatDuration(pod.next_delay));
      if (pod.started) json.Field("started", Ago(*pod.started));
      if (pod.ending) Write(*pod.ending, json);
      if (pod.absence) Write(*pod.absence, json);
      if (pod.ended_well) json.Field("endedWell", *pod.ended_well);
      json.ArrayUnlessEmpty("runs", [&] {
        for (const KeptRun& run : pod.runs) Write(run, json);
      });
    });
  }

  void Write(const SoftEvictionsSoFar& soft, JsonWriter& json) const {
    json.Object([&] {
      json.Array("granted", [&] {
        for (const Instant at : soft.granted) json.String(Ago(at));
      });
      json.Array("spared", [&] {
        for (const SparedPod& pod : soft.spared) {
          json.Object([&] {
            json.Field("uid", pod.uid);
            json.Field("why", pod.why);
            json.Field("until", Ago(pod.until));
          });
        }
      });
    });
  }

  void WriteWritten(JsonWriter& json) const { WriteTimeMark(mark_, json); }

 private:
  [[nodiscard]] std::string Ago(Instant at) const { return FormatDuration(Elapsed(at, now_)); }

  void Write(const KeptCondition& condition, JsonWriter& json) const {
    json.Object([&] {
      json.Field("type", NameOf(condition.type));
      json.Field("status", condition.status);
      json.Field("changed", Ago(condition.changed));
      if (condition.last_observed) json.Field("lastObserved", Ago(*condition.last_observed));
    });
  }
  void Write(const KeptThreshold& threshold, JsonWriter& json) const {
    json.Object([&] {
      json.Field("threshold", threshold.text);
      json.Field("firstObserved", Ago(threshold.first_observed));
      json.Field("overdue", threshold.overdue);
    });
  }
  void Write(const KeptMark& mark, JsonWriter& json) const {
    json.Object("lastEviction", [&] {
      json.Field("at", Ago(mark.at));
      json.Object("available", [&] {
        for (const auto& [signal, left] : mark.available) json.Field(NameOf(signal), left);
      });
    });
  }
  void Write(const KeptWait& wait, JsonWriter& json) const {
    json.Object("wait", [&] {
      json.Array("pods", [&] {
        for (const std::string& uid : wait.pods) json.String(uid);
      });
      json.Array("hardFor", [&] {
        for (const Resource resource : wait.hard_for) json.String(NameOf(resource));
      });
      json.Field("deadline", Ago(wait.deadline));
    });
  }
  void Write(const KeptEnding& ending, JsonWriter& json) const {
    json.Object("ending", [&] {
      json.Field("reason", ending.reason);
      json.Field("message", ending.message);
      json.Field("disruptionTarget", ending.disruption_target);
      json.Field("kill", Ago(ending.kill_at));
    });
  }
  void Write(const KeptAbsence& absence, JsonWriter& json) const {
    json.Object("absence", [&] {
      json.Field("reason", absence.reason);
      json.Field("message", absence.message);
      json.Field("comesBack", Ago(absence.comes_back_at));
    });
  }
  void Write(const KeptRun& run, JsonWriter& json) const {
    json.Object([&] {
      json.Field("container", run.container);
      json.Field("attempt", run.attempt);
      json.Field("nextDelay", FormatDuration(run.next_delay));
      if (run.restart_at) json.Field("restart", Ago(*run.restart_at));
    });
  }

  Instant now_;
  TimeMark mark_;
};

}  // namespace

KeptStateText FormatKeptState(const KeptState& state, const Clock& clock, std::size_t max_bytes) {
  const Writer writer(clock);
  // The pods are joined without a JsonWriter, because those that do not fit are left out.
  std::string text = R"({"version":1,"written":)";
  JsonWriter head(text);
  writer.WriteWritten(head);
  text += R"(,"node":)";
  JsonWriter node(text);
  writer.Write(state.node, node);
  if (state.soft != SoftEvictionsSoFar{}) {
    text += R"(,"softEvictions":)";
    JsonWriter soft(text);
    writer.Write(state.soft, soft);
  }
  text += R"(,"pods":[)";
  constexpr std::string_view kEnd = "]}\n";
  std::vector<const KeptPod*> pods;
  for (const KeptPod& pod : state.pods) pods.push_back(&pod);
  std::ranges::stable_partition(
      pods, [](const KeptPod* pod) { return pod->ending || pod->absence || pod->ended_well; });
  std::size_t written = 0;
  for (const KeptPod* pod : pods) {
    std::string next = written > 0 ? ",\n" : "\n";
    JsonWriter json(next);
    writer.Write(*pod, json);
    if (text.size() + next.size() + kEnd.size() > max_bytes) continue;
    text += next;
    ++written;
  }
  text += kEnd;
  return {.text = std::move(text), .left_out = state.pods.size() - written};
}

}  // namespace jettison
