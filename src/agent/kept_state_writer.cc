#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/kept_state_text.h"
#include "agent/time_mark.h"

namespace jettison {
namespace {

using Json = nlohmann::ordered_json;

// Never throws: what is not UTF-8 is replaced.
std::string TextOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Writer {
 public:
  explicit Writer(const Clock& clock) : now_(clock.Now()), mark_(clock.Mark()) {}

  [[nodiscard]] Json Of(const KeptNode& node) const {
    Json json = Json::object();
    Json conditions = Json::array();
    for (const KeptCondition& condition : node.conditions) conditions.push_back(Of(condition));
    json["conditions"] = std::move(conditions);
    Json thresholds = Json::array();
    for (const KeptThreshold& threshold : node.thresholds) {
      thresholds.push_back({{"threshold", threshold.text},
                            {"firstObserved", Ago(threshold.first_observed)},
                            {"overdue", threshold.overdue}});
    }
    json["thresholds"] = std::move(thresholds);
    if (node.last_eviction) json["lastEviction"] = Of(*node.last_eviction);
    if (node.wait) json["wait"] = Of(*node.wait);
    return json;
  }

  [[nodiscard]] Json Of(const KeptPod& pod) const {
    Json json = {{"name", pod.name},
                 {"uid", pod.uid},
                 {"evictions", pod.evictions},
                 {"nextDelay", FormatDuration(pod.next_delay)}};
    if (pod.started) json["started"] = Ago(*pod.started);
    if (pod.ending) {
      json["ending"] = {{"reason", pod.ending->reason},
                        {"message", pod.ending->message},
                        {"disruptionTarget", pod.ending->disruption_target},
                        {"kill", Ago(pod.ending->kill_at)}};
    }
    if (pod.absence) {
      json["absence"] = {{"reason", pod.absence->reason},
                         {"message", pod.absence->message},
                         {"comesBack", Ago(pod.absence->comes_back_at)}};
    }
    Json runs = Json::array();
    for (const KeptRun& run : pod.runs) runs.push_back(Of(run));
    if (!runs.empty()) json["runs"] = std::move(runs);
    return json;
  }

  [[nodiscard]] Json Written() const { return JsonOf(mark_); }

 private:
  [[nodiscard]] std::string Ago(Instant at) const { return FormatDuration(Elapsed(at, now_)); }

  [[nodiscard]] Json Of(const KeptCondition& condition) const {
    Json json = {{"type", NameOf(condition.type)},
                 {"status", condition.status},
                 {"changed", Ago(condition.changed)}};
    if (condition.last_observed) json["lastObserved"] = Ago(*condition.last_observed);
    return json;
  }
  [[nodiscard]] Json Of(const KeptMark& mark) const {
    Json available = Json::object();
    for (const auto& [signal, left] : mark.available) available[std::string(NameOf(signal))] = left;
    return {{"at", Ago(mark.at)}, {"available", std::move(available)}};
  }
  [[nodiscard]] Json Of(const KeptWait& wait) const {
    Json hard_for = Json::array();
    for (const Resource resource : wait.hard_for) hard_for.push_back(NameOf(resource));
    return {
        {"pods", wait.pods}, {"hardFor", std::move(hard_for)}, {"deadline", Ago(wait.deadline)}};
  }
  [[nodiscard]] Json Of(const KeptRun& run) const {
    Json json = {{"container", run.container},
                 {"attempt", run.attempt},
                 {"nextDelay", FormatDuration(run.next_delay)}};
    if (run.restart_at) json["restart"] = Ago(*run.restart_at);
    return json;
  }

  Instant now_;
  TimeMark mark_;
};

}  // namespace

KeptStateText FormatKeptState(const KeptState& state, const Clock& clock, std::size_t max_bytes) {
  const Writer writer(clock);
  std::string text = R"({"version":1,"written":)" + TextOf(writer.Written()) + R"(,"node":)" +
                     TextOf(writer.Of(state.node)) + R"(,"pods":[)";
  constexpr std::string_view kEnd = "]}\n";
  std::vector<const KeptPod*> pods;
  for (const KeptPod& pod : state.pods) pods.push_back(&pod);
  std::ranges::stable_partition(pods,
                                [](const KeptPod* pod) { return pod->ending || pod->absence; });
  std::size_t written = 0;
  for (const KeptPod* pod : pods) {
    const std::string next = (written > 0 ? ",\n" : "\n") + TextOf(writer.Of(*pod));
    if (text.size() + next.size() + kEnd.size() > max_bytes) continue;
    text += next;
    ++written;
  }
  text += kEnd;
  return {.text = std::move(text), .left_out = state.pods.size() - written};
}

}  // namespace jettison
