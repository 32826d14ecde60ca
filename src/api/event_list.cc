#include "api/event_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "api/kube_time.h"
#include "json/json_writer.h"

namespace jettison {
namespace {

constexpr std::string_view kComponent = "jettison";

// What makes events equal.
using Key =
    std::tuple<std::string_view, std::string_view, EventType, std::string_view, std::string_view>;
Key KeyOf(const LoggedEvent& logged) {
  const Event& event = logged.event;
  return {logged.pod, event.object, event.type, event.reason, event.message};
}

// What an event is about, as a v1.ObjectReference has it.
struct Subject {
  std::string_view kind;
  std::string_view namespace_;  // empty: of the node
  std::string_view name;
  std::string_view uid;
};

Subject SubjectOf(const LoggedEvent& event, std::string_view node_name) {
  if (event.pod.empty()) return {"Node", "", node_name, node_name};
  const std::string_view pod = event.pod;
  const std::size_t slash = pod.find('/');
  if (slash == std::string_view::npos) return {"Pod", "default", pod, event.event.object};
  return {"Pod", pod.substr(0, slash), pod.substr(slash + 1), event.event.object};
}

void WriteMetadata(const CountedEvent& event, const Subject& subject, JsonWriter& json) {
  const auto first = static_cast<std::uint64_t>(event.first.time_since_epoch().count());
  json.Key("metadata");
  json.BeginObject();
  json.Field("name", fmt::format("{}.{:x}", subject.name, first));
  json.Field("namespace", subject.namespace_.empty() ? "default" : subject.namespace_);
  json.Field("creationTimestamp", KubeTime(event.first));
  const auto& annotations = event.last->event.annotations;
  if (!annotations.empty()) {
    json.Key("annotations");
    json.BeginObject();
    for (const auto& [key, value] : annotations) json.Field(key, value);
    json.EndObject();
  }
  json.EndObject();
}

void WriteSubject(const Subject& subject, JsonWriter& json) {
  json.Key("involvedObject");
  json.BeginObject();
  json.Field("kind", subject.kind);
  if (!subject.namespace_.empty()) json.Field("namespace", subject.namespace_);
  json.Field("name", subject.name);
  json.Field("uid", subject.uid);
  json.Field("apiVersion", "v1");
  json.EndObject();
}

void WriteEvent(const CountedEvent& event, std::string_view node_name, JsonWriter& json) {
  const Subject subject = SubjectOf(*event.last, node_name);
  json.BeginObject();
  json.Field("kind", "Event");
  json.Field("apiVersion", "v1");
  WriteMetadata(event, subject, json);
  WriteSubject(subject, json);
  json.Field("reason", event.last->event.reason);
  json.Field("message", event.last->event.message);
  json.Key("source");
  json.BeginObject();
  json.Field("component", kComponent);
  json.Field("host", node_name);
  json.EndObject();
  json.Field("firstTimestamp", KubeTime(event.first));
  json.Field("lastTimestamp", KubeTime(event.last->at));
  json.Field("count", event.count);
  json.Field("type", NameOf(event.last->event.type));
  json.Key("eventTime");
  json.Null();
  json.Field("reportingComponent", kComponent);
  json.Field("reportingInstance", node_name);
  json.EndObject();
}

}  // namespace

std::vector<CountedEvent> Correlated(const std::vector<LoggedEvent>& events) {
  std::map<Key, std::size_t> places;
  std::vector<CountedEvent> counted;
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    const auto [place, is_new] = places.emplace(KeyOf(*event), counted.size());
    if (is_new) {
      counted.push_back({.last = &*event, .first = event->at, .count = 1});
    } else {
      counted[place->second].first = event->at;
      ++counted[place->second].count;
    }
  }
  std::ranges::reverse(counted);
  return counted;
}

CountedEvent CountedUntil(const std::vector<LoggedEvent>& events, const LoggedEvent& event) {
  CountedEvent counted{.last = &event, .first = event.at, .count = 1};
  bool found = false;
  for (const LoggedEvent& other : events) {
    if (other.sequence >= event.sequence) break;
    if (KeyOf(other) != KeyOf(event)) continue;
    if (!std::exchange(found, true)) counted.first = other.at;
    ++counted.count;
  }
  return counted;
}

std::string EventJson(const CountedEvent& event, std::string_view node_name) {
  std::string text;
  JsonWriter json(text);
  WriteEvent(event, node_name, json);
  return text;
}

std::string EventListJson(const Snapshot& snapshot) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject();
  json.Field("kind", "EventList");
  json.Field("apiVersion", "v1");
  json.Key("metadata");
  json.Json("{}");
  json.Key("items");
  json.BeginArray();
  for (const CountedEvent& event : Correlated(snapshot.events)) {
    WriteEvent(event, snapshot.node->config.node_name, json);
  }
  json.EndArray();
  json.EndObject();
  text += '\n';
  return text;
}

}  // namespace jettison
