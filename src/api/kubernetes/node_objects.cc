#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/kubernetes/objects.h"
#include "core/config/node_allocatable.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

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

void WriteMetadata(const NodeIdentity& node, const HostFacts& host, JsonWriter& json) {
  json.Object("metadata", [&] {
    json.Field("name", node.config.node_name);
    json.Field("uid", node.config.node_name);
    json.Field("creationTimestamp", KubeTime(node.started_at));
    json.Object("labels", [&] {
      json.Field("kubernetes.io/arch", host.architecture);
      json.Field("kubernetes.io/hostname", node.config.node_name);
      json.Field("kubernetes.io/os", "linux");
    });
  });
}

void WriteStatus(const Snapshot& snapshot, const HostFacts& host, JsonWriter& json) {
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
      json.Field("machineID", host.machine_id);
      json.Field("systemUUID", "");
      json.Field("bootID", host.boot_id);
      json.Field("kernelVersion", host.kernel_version);
      json.Field("osImage", host.os_image);
      json.Field("containerRuntimeVersion", "");
      json.Field("kubeletVersion", "jettison " JETTISON_VERSION);
      json.Field("kubeProxyVersion", "");
      json.Field("operatingSystem", "linux");
      json.Field("architecture", host.architecture);
    });
  });
}

std::string FirstLine(const char* path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// PRETTY_NAME of /etc/os-release (os-release(5)), without its quotes.
std::string OsImage() {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    std::string name = line.substr(kKey.size());
    std::erase(name, '"');
    return name;
  }
  return "";
}

std::string GoArchitecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
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

}  // namespace

std::string ConditionJson(const ConditionView& condition, Instant heartbeat) {
  return JsonObject([&](JsonWriter& json) {
    PutCondition(TextOf(condition.type, condition.status), heartbeat, condition.last_transition,
                 json);
  });
}

std::string NodeJson(const Snapshot& snapshot, const HostFacts& host) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("kind", "Node");
    json.Field("apiVersion", "v1");
    WriteMetadata(*snapshot.node, host, json);
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
    WriteStatus(snapshot, host, json);
  });
}

HostFacts ReadHostFacts() {
  HostFacts facts;
  facts.machine_id = FirstLine("/etc/machine-id");
  facts.boot_id = FirstLine("/proc/sys/kernel/random/boot_id");
  facts.os_image = OsImage();
  utsname names{};
  if (uname(&names) == 0) {
    facts.kernel_version = names.release;
    facts.architecture = GoArchitecture(names.machine);
  }
  return facts;
}

std::string EventJson(const LoggedEvent& event, std::string_view node_name) {
  return JsonObject([&](JsonWriter& json) { PutEvent(event, node_name, json); });
}

std::string EventListJson(const Snapshot& snapshot) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("kind", "EventList");
    json.Field("apiVersion", "v1");
    json.Key("metadata");
    json.Json("{}");
    json.Objects("items", snapshot.events, [&](const LoggedEvent& event) {
      PutEvent(event, snapshot.node->config.node_name, json);
    });
  });
}

}  // namespace jettison
