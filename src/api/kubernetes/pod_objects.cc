#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "api/kubernetes/objects.h"
#include "codec/kubernetes/pod_writer.h"
#include "codec/recordings/summary_writer.h"
#include "core/json/json_writer.h"
#include "core/model/redaction.h"

namespace jettison {
namespace {

// metav1.StatusReason (k8s.io/apimachinery/pkg/apis/meta/v1/types.go).
std::string_view ReasonOf(int code) {
  switch (code) {
    case 400: return "BadRequest";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 405: return "MethodNotAllowed";
    case 408: return "Timeout";
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

HttpResponse StatusAnswer(int code, std::string_view message,
                          const std::vector<StatusCause>& causes) {
  HttpResponse answer;
  answer.status = code;
  JsonWriter json(answer.body);
  json.Object([&] {
    json.Field("kind", "Status");
    json.Field("apiVersion", "v1");
    json.Key("metadata");
    json.Json("{}");
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
    json.Field("kind", "PodList");
    json.Field("apiVersion", "v1");
    json.Key("metadata");
    json.Json("{}");
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
