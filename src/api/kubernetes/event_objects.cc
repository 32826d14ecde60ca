#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "api/kubernetes/objects.h"
#include "core/json/json_writer.h"

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

Instant FirstOf(const LoggedEvent& event) {
  return event.times > 1 ? event.first_at : event.at;
}

void WriteMetadata(const LoggedEvent& event, const Subject& subject, JsonWriter& json) {
  const auto first = static_cast<std::uint64_t>(FirstOf(event).time_since_epoch().count());
  json.Object("metadata", [&] {
    json.Field("name", fmt::format("{}.{:x}", subject.name, first));
    json.Field("namespace", subject.namespace_.empty() ? "default" : subject.namespace_);
    json.Field("creationTimestamp", KubeTime(FirstOf(event)));
    const auto& annotations = event.event.annotations;
    if (!annotations.empty()) {
      json.Object("annotations", [&] {
        for (const auto& [key, value] : annotations) json.Field(key, value);
      });
    }
  });
}

void WriteSubject(const Subject& subject, JsonWriter& json) {
  json.Object("involvedObject", [&] {
    json.Field("kind", subject.kind);
    if (!subject.namespace_.empty()) json.Field("namespace", subject.namespace_);
    json.Field("name", subject.name);
    json.Field("uid", subject.uid);
    json.Field("apiVersion", "v1");
  });
}

void WriteEvent(const LoggedEvent& event, std::string_view node_name, JsonWriter& json) {
  const Subject subject = SubjectOf(event, node_name);
  json.Object([&] {
    json.Field("kind", "Event");
    json.Field("apiVersion", "v1");
    WriteMetadata(event, subject, json);
    WriteSubject(subject, json);
    json.Field("reason", event.event.reason);
    json.Field("message", event.event.message);
    json.Object("source", [&] {
      json.Field("component", kComponent);
      json.Field("host", node_name);
    });
    json.Field("firstTimestamp", KubeTime(FirstOf(event)));
    json.Field("lastTimestamp", KubeTime(event.at));
    json.Field("count", event.times);
    json.Field("type", NameOf(event.event.type));
    json.Key("eventTime");
    json.Null();
    json.Field("reportingComponent", kComponent);
    json.Field("reportingInstance", node_name);
  });
}

// The newest of each kind, oldest first.
std::vector<const LoggedEvent*> NewestOfEach(const std::vector<LoggedEvent>& events) {
  std::set<Key> seen;
  std::vector<const LoggedEvent*> newest;
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (seen.insert(KeyOf(*event)).second) newest.push_back(&*event);
  }
  std::ranges::reverse(newest);
  return newest;
}

}  // namespace

std::string EventJson(const LoggedEvent& event, std::string_view node_name) {
  std::string text;
  JsonWriter json(text);
  WriteEvent(event, node_name, json);
  return text;
}

std::string EventListJson(const Snapshot& snapshot) {
  return JsonObject([&](JsonWriter& json) {
           json.Field("kind", "EventList");
           json.Field("apiVersion", "v1");
           json.Key("metadata");
           json.Json("{}");
           json.Array("items", [&] {
             for (const LoggedEvent* event : NewestOfEach(snapshot.events)) {
               WriteEvent(*event, snapshot.node->config.node_name, json);
             }
           });
         }) +
         '\n';
}

}  // namespace jettison
