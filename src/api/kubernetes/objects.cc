#include "api/kubernetes/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "codec/kubernetes/pod_writer.h"
#include "codec/recordings/summary_writer.h"
#include "core/config/agent_config.h"
#include "core/json/json_writer.h"
#include "core/model/redaction.h"

namespace jettison {
namespace {

// As Go names it.
#ifdef __aarch64__
constexpr std::string_view kArchitecture = "arm64";
#else
constexpr std::string_view kArchitecture = "amd64";
#endif

// The first members of an object without a name: a list, a Status.
void PutHead(std::string_view kind, JsonWriter& json) {
  json.Field("kind", kind);
  json.Field("apiVersion", "v1");
  json.Key("metadata");
  json.Json("{}");
}

// The members of a v1.NodeCondition.
void PutCondition(const NodeConditionText& text, Instant heartbeat, Instant transition,
                  JsonWriter& json) {
  json.Field("type", text.type);
  json.Field("status", text.status);
  json.Field("lastHeartbeatTime", KubeTime(heartbeat));
  json.Field("lastTransitionTime", KubeTime(transition));
  json.Field("reason", text.reason);
  json.Field("message", text.message);
}

// In the kubelet's words, which clients look for.
NodeConditionText ReadyText(bool ready) {
  if (ready) return {"Ready", "True", "KubeletReady", "kubelet is posting ready status"};
  return {"Ready", "False", "KubeletNotReady", "no pass has been made since the agent started"};
}

void WriteResources(std::string_view name, const ResourceList& resources, JsonWriter& json) {
  json.Object(name, [&] {
    for (const auto& [resource, amount] : resources) json.Field(resource, amount.ToString());
  });
}

void WriteStatus(const Snapshot& snapshot, JsonWriter& json) {
  const NodeIdentity& node = *snapshot.node;
  json.Object("status", [&] {
    WriteResources("capacity", node.capacity, json);
    WriteResources(
        "allocatable",
        NodeAllocatable(node.capacity, node.config.reservation, node.config.eviction.thresholds),
        json);
    json.Array("conditions", [&] {
      for (const ConditionView& view : snapshot.condition_views) {
        json.Object([&] {
          PutCondition(TextOf(view.type, view.status), snapshot.at, view.last_transition, json);
        });
      }
      json.Object([&] {
        PutCondition(ReadyText(snapshot.passes > 0), snapshot.at, node.started_at, json);
      });
    });
    json.Array("addresses", [&] {
      json.Object([&] {
        json.Field("type", "Hostname");
        json.Field("address", node.config.node_name);
      });
    });
    json.Object("nodeInfo", [&] {
      json.Field("kubeletVersion", "jettison " JETTISON_VERSION);
      json.Field("operatingSystem", "linux");
      json.Field("architecture", kArchitecture);
    });
  });
}

constexpr std::string_view kComponent = "jettison";

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

// The members of a v1.Event.
void PutEvent(const LoggedEvent& event, std::string_view node_name, JsonWriter& json) {
  const Subject subject = SubjectOf(event, node_name);
  json.Field("kind", "Event");
  json.Field("apiVersion", "v1");
  json.Object("metadata", [&] {
    json.Field("name",
               fmt::format("{}.{:x}", subject.name,
                           static_cast<std::uint64_t>(event.first_at.time_since_epoch().count())));
    json.Field("namespace", subject.namespace_.empty() ? "default" : subject.namespace_);
    json.Field("creationTimestamp", KubeTime(event.first_at));
    json.ObjectUnlessEmpty("annotations", [&] {
      for (const auto& [key, value] : event.event.annotations) json.Field(key, value);
    });
  });
  json.Object("involvedObject", [&] {
    json.Field("kind", subject.kind);
    if (!subject.namespace_.empty()) json.Field("namespace", subject.namespace_);
    json.Field("name", subject.name);
    json.Field("uid", subject.uid);
    json.Field("apiVersion", "v1");
  });
  json.Field("reason", event.event.reason);
  json.Field("message", event.event.message);
  json.Object("source", [&] {
    json.Field("component", kComponent);
    json.Field("host", node_name);
  });
  json.Field("firstTimestamp", KubeTime(event.first_at));
  json.Field("lastTimestamp", KubeTime(event.at));
  json.Field("count", event.times);
  json.Field("type", NameOf(event.event.type));
  json.Key("eventTime");
  json.Null();
  json.Field("reportingComponent", kComponent);
  json.Field("reportingInstance", node_name);
}

// metav1.StatusReason (k8s.io/apimachinery/pkg/apis/meta/v1/types.go).
std::string_view ReasonOf(int code) {
  switch (code) {
    case 400: return "BadRequest";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 405: return "MethodNotAllowed";
    case 413: return "RequestEntityTooLarge";
    case 415: return "UnsupportedMediaType";
    case 422: return "Invalid";
    case 429: return "TooManyRequests";
    case 500: return "InternalError";
    case 503: return "ServiceUnavailable";
    default: return "";
  }
}

void PutText(std::string_view name, const std::string& text, JsonWriter& json) {
  if (!text.empty()) json.Field(name, text);
}

void WriteTerminated(const ContainerTerminated& terminated, JsonWriter& json) {
  const ContainerExit& exit = terminated.exit;
  json.Object("terminated", [&] {
    json.Field("exitCode", exit.exit_code);
    if (exit.signal != 0) json.Field("signal", exit.signal);
    json.Field("reason", terminated.start_error.empty() ? TerminationReason(exit) : "StartError");
    PutText("message", terminated.start_error, json);
    json.Field("startedAt", KubeTime(exit.started));
    json.Field("finishedAt", KubeTime(exit.finished));
  });
}

void WriteState(const ContainerState& state, JsonWriter& json) {
  json.Object("state", [&] {
    if (const auto* waiting = std::get_if<ContainerWaiting>(&state)) {
      json.Object("waiting", [&] {
        PutText("reason", waiting->reason, json);
        PutText("message", waiting->message, json);
      });
    } else if (const auto* running = std::get_if<ContainerRunning>(&state)) {
      json.Object("running", [&] { json.Field("startedAt", KubeTime(running->started_at)); });
    } else {
      WriteTerminated(std::get<ContainerTerminated>(state), json);
    }
  });
}

std::string_view ImageOf(const Pod& pod, const ContainerStatus& status) {
  const auto& containers = status.init ? pod.init_containers : pod.containers;
  const auto found = std::ranges::find(containers, status.name, &Container::name);
  return found == containers.end() ? std::string_view() : std::string_view(found->image);
}

void WriteContainer(const Pod& pod, const ContainerStatus& status, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", status.name);
    WriteState(status.state, json);
    json.Object("lastState", [&] {
      if (status.last_state) WriteTerminated({.exit = *status.last_state}, json);
    });
    json.Field("ready", status.ready);
    json.Field("restartCount", status.restart_count);
    json.Field("image", ImageOf(pod, status));
    json.Field("imageID", "");
    json.Field("started", std::holds_alternative<ContainerRunning>(status.state));
  });
}

void PutContainers(std::string_view name, const PodView& pod, bool init, JsonWriter& json) {
  const auto& containers = pod.status.containers;
  if (std::ranges::find(containers, init, &ContainerStatus::init) == containers.end()) return;
  json.Array(name, [&] {
    for (const ContainerStatus& status : containers) {
      if (status.init == init) WriteContainer(pod.facts->pod, status, json);
    }
  });
}

std::string StatusOf(const PodView& pod) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("phase", NameOf(pod.status.phase));
    if (!pod.status.conditions.empty()) {
      json.Objects("conditions", pod.status.conditions, [&](const PodCondition& condition) {
        json.Field("type", condition.type);
        json.Field("status", condition.status ? "True" : "False");
        json.Key("lastProbeTime");
        json.Null();
        json.Field("lastTransitionTime", KubeTime(condition.last_transition));
        PutText("reason", condition.reason, json);
        PutText("message", condition.message, json);
      });
    }
    PutText("message", pod.status.message, json);
    PutText("reason", pod.status.reason, json);
    if (pod.status.start_time) json.Field("startTime", KubeTime(*pod.status.start_time));
    PutContainers("initContainerStatuses", pod, true, json);
    PutContainers("containerStatuses", pod, false, json);
    json.Field("qosClass", NameOf(pod.qos));
  });
}

std::optional<Instant> StartOf(const PodStatus& status, std::string_view container) {
  const auto found = std::ranges::find(status.containers, container, &ContainerStatus::name);
  if (found == status.containers.end()) return std::nullopt;
  if (const auto* running = std::get_if<ContainerRunning>(&found->state)) {
    return running->started_at;
  }
  if (const auto* ended = std::get_if<ContainerTerminated>(&found->state)) {
    return ended->exit.started;
  }
  return std::nullopt;
}

SummaryTimes TimesOf(const Snapshot& snapshot) {
  SummaryTimes times;
  if (snapshot.node) {
    times.node_name = snapshot.node->config.node_name;
    times.node_started = snapshot.node->started_at;
  }
  times.pods_measured = snapshot.pods_measured_at;
  std::unordered_map<std::string_view, const PodStatus*> by_uid;
  for (const PodView& pod : snapshot.pods) by_uid.emplace(pod.uid, &pod.status);
  times.pods.reserve(snapshot.summary->pods.size());
  for (const PodStats& stats : snapshot.summary->pods) {
    PodStartTimes& pod = times.pods.emplace_back();
    const auto status = by_uid.find(stats.uid);
    if (status == by_uid.end()) continue;
    pod.pod = status->second->start_time;
    for (const ContainerStats& container : stats.containers) {
      pod.containers.push_back(StartOf(*status->second, container.name));
    }
  }
  return times;
}

}  // namespace

std::string ConditionJson(const ConditionView& condition, Instant heartbeat) {
  return JsonObject([&](JsonWriter& json) {
    PutCondition(TextOf(condition.type, condition.status), heartbeat, condition.last_transition,
                 json);
  });
}

std::string NodeJson(const Snapshot& snapshot) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("kind", "Node");
    json.Field("apiVersion", "v1");
    const std::string& name = snapshot.node->config.node_name;
    json.Object("metadata", [&] {
      json.Field("name", name);
      json.Field("uid", name);
      json.Field("creationTimestamp", KubeTime(snapshot.node->started_at));
      json.Object("labels", [&] {
        json.Field("kubernetes.io/arch", kArchitecture);
        json.Field("kubernetes.io/hostname", name);
        json.Field("kubernetes.io/os", "linux");
      });
    });
    json.Object("spec", [&] {
      if (snapshot.conditions.Empty()) return;
      json.Array("taints", [&] {
        for (const ConditionView& view : snapshot.condition_views) {
          if (!view.status) continue;
          json.Object([&] {
            json.Field("key", TaintOf(view.type));
            json.Field("effect", "NoSchedule");
            json.Field("timeAdded", KubeTime(view.last_transition));
          });
        }
      });
    });
    WriteStatus(snapshot, json);
  });
}

std::string EventJson(const LoggedEvent& event, std::string_view node_name) {
  return JsonObject([&](JsonWriter& json) { PutEvent(event, node_name, json); });
}

std::string EventListJson(const Snapshot& snapshot) {
  return JsonObject([&](JsonWriter& json) {
    PutHead("EventList", json);
    json.Objects("items", snapshot.events, [&](const LoggedEvent& event) {
      PutEvent(event, snapshot.node->config.node_name, json);
    });
  });
}

HttpResponse StatusAnswer(int code, std::string_view message,
                          const std::vector<StatusCause>& causes) {
  HttpResponse answer;
  answer.status = code;
  JsonWriter json(answer.body);
  json.Object([&] {
    PutHead("Status", json);
    json.Field("status", "Failure");
    json.Field("message", message);
    if (const std::string_view reason = ReasonOf(code); !reason.empty()) {
      json.Field("reason", reason);
    }
    if (!causes.empty()) {
      json.Object("details", [&] {
        json.Objects("causes", causes, [&](const StatusCause& cause) {
          json.Field("reason", "FieldValueInvalid");
          json.Field("message", cause.message);
          if (!cause.field.empty()) json.Field("field", cause.field);
        });
      });
    }
    json.Field("code", code);
  });
  answer.body += '\n';
  return answer;
}

std::string PodListJson(const Snapshot& snapshot) {
  const std::string_view node =
      snapshot.node ? std::string_view(snapshot.node->config.node_name) : "";
  return JsonObject([&](JsonWriter& json) {
    PutHead("PodList", json);
    json.Array("items", [&] {
      for (const PodView& pod : snapshot.pods) {
        json.Json(
            WritePod(RedactedPod(pod.facts->pod), {.node_name = node, .status = StatusOf(pod)}));
      }
    });
  });
}

std::string StatsSummaryJson(const Snapshot& snapshot) {
  std::string text;
  text.reserve(2048 + 1024 * snapshot.summary->pods.size());
  JsonWriter json(text);
  WriteSummary(*snapshot.summary, TimesOf(snapshot), json);
  return text;
}

}  // namespace jettison
