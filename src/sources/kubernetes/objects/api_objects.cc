#include "sources/kubernetes/objects/api_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "codec/documents/json.h"
#include "codec/kubernetes/field.h"
#include "codec/kubernetes/pod_reader.h"

namespace jettison::kube {
namespace {

using kube_json::Field;

bool IsVersion(std::string_view text) {
  return !text.empty() && text.front() != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// kInvalidArgument, with what is missing, where an object has no name, UID or resource version.
Result<ObjectHead> ReadHead(const Field& metadata) {
  if (!metadata.IsMap()) return Fail(ErrorCode::kInvalidArgument, "an object without metadata");
  ObjectHead head{.namespace_ = metadata.Member("namespace").String().value_or(""),
                  .name = metadata.Member("name").String().value_or(""),
                  .uid = metadata.Member("uid").String().value_or(""),
                  .resource_version = metadata.Member("resourceVersion").String().value_or("")};
  if (head.name.empty() || head.uid.empty() || head.resource_version.empty()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("an object without {}: {}/{}",
                                                         head.name.empty()  ? "name"
                                                         : head.uid.empty() ? "uid"
                                                                            : "resourceVersion",
                                                         head.namespace_, head.name));
  }
  return head;
}

// A time in RFC 3339; one that is none is a fault and absent.
std::optional<Instant> ReadTime(const Field& field) {
  const auto text = field.String();
  if (!text || text->empty()) return std::nullopt;
  const auto time = ParseInstant(*text);
  if (time) return *time;
  field.Fault(time.error().message);
  return std::nullopt;
}

std::vector<Condition> ReadConditions(const Field& list) {
  std::vector<Condition> conditions;
  list.ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    conditions.push_back({.type = item.Member("type").String().value_or(""),
                          .status = item.Member("status").String().value_or(""),
                          .reason = item.Member("reason").String().value_or(""),
                          .message = item.Member("message").String().value_or(""),
                          .since = ReadTime(item.Member("lastTransitionTime"))});
  });
  return conditions;
}

void ReadMetadata(const Field& metadata, ApiPod& pod) {
  metadata.Member("ownerReferences").ForEachItem([&](const Field& item) {
    if (!item.IsMap() || !item.Member("controller").Bool().value_or(false)) return;
    pod.controller_kind = item.Member("kind").String().value_or("");
  });
  pod.deleted = ReadTime(metadata.Member("deletionTimestamp"));
}

// "containerd://d423cb..."
void ReadContainerId(const Field& field, ContainerStatus& status) {
  constexpr std::string_view kSeparator = "://";
  const std::string text = field.String().value_or("");
  if (text.empty()) return;
  const std::size_t at = text.find(kSeparator);
  if (at == std::string::npos || at == 0 || at + kSeparator.size() == text.size()) {
    return field.Fault("must be RUNTIME://ID");
  }
  status.id = text.substr(at + kSeparator.size());
}

void ReadContainers(const Field& list, bool is_ephemeral, ApiPod& pod) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  list.ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    ContainerStatus status{.name = item.Member("name").String().value_or(""),
                           .is_ephemeral = is_ephemeral};
    ReadContainerId(item.Member("containerID"), status);
    status.restarts =
        static_cast<std::int32_t>(item.Member("restartCount").Integer(0, kMost).value_or(0));
    pod.containers.push_back(std::move(status));
  });
}

void ReadStatusOf(const Field& status, ApiPod& pod) {
  if (!status.IsMap()) return;
  pod.phase = status.Member("phase").String().value_or("");
  pod.reason = status.Member("reason").String().value_or("");
  pod.message = status.Member("message").String().value_or("");
  pod.conditions = ReadConditions(status.Member("conditions"));
  ReadContainers(status.Member("initContainerStatuses"), false, pod);
  ReadContainers(status.Member("containerStatuses"), false, pod);
  ReadContainers(status.Member("ephemeralContainerStatuses"), true, pod);
}

bool AwaitsResize(const ApiPod& pod) {
  return std::ranges::any_of(pod.conditions, [](const Condition& condition) {
    return condition.type == "PodResizePending" && condition.status == "True";
  });
}

// The resources of containers as the kubelet has allocated them, in place of those of the
// specification.
void TakeAllocated(const Field& statuses, std::vector<Container>& containers) {
  statuses.ForEachItem([&](const Field& item) {
    if (!item.HoldsMap()) return;
    const Field resources = item.Member("resources");
    const std::string name = item.Member("name").String().value_or("");
    const auto container = std::ranges::find(containers, name, &Container::name);
    if (container == containers.end() || !resources.HoldsMap()) return;
    container->resources = kube_json::ReadResources(resources);
  });
}

// The kubelet ranks pods by what it has allocated to them. While it cannot, or will never, carry
// out a resize, that is not what the specification asks for. (kubelet: getAllocatedPods)
void TakeAllocated(const Field& status, ApiPod& pod) {
  if (!AwaitsResize(pod)) return;
  TakeAllocated(status.Member("initContainerStatuses"), pod.pod.init_containers);
  TakeAllocated(status.Member("containerStatuses"), pod.pod.containers);
}

void ReadTaints(const Field& list, ApiNode& node) {
  list.ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    Taint taint{.key = item.Member("key").String().value_or(""),
                .effect = item.Member("effect").String().value_or("")};
    JsonWriter json(taint.json);
    WriteValue(*item.value(), json);
    node.taints.push_back(std::move(taint));
  });
}

void ReadAddresses(const Field& list, ApiNode& node) {
  list.ForEachItem([&](const Field& item) {
    if (!item.IsMap() || !node.internal_ip.empty()) return;
    if (item.Member("type").String() != "InternalIP") return;
    node.internal_ip = item.Member("address").String().value_or("");
  });
}

void ReadStatusOf(const Field& status, ApiNode& node) {
  if (!status.IsMap()) return;
  node.conditions = ReadConditions(status.Member("conditions"));
  if (const Field info = status.Member("nodeInfo"); info.IsMap()) {
    node.kubelet_version = info.Member("kubeletVersion").String().value_or("");
  }
  ReadAddresses(status.Member("addresses"), node);
  const Field endpoints = status.Member("daemonEndpoints");
  if (!endpoints.IsMap()) return;
  if (const Field kubelet = endpoints.Member("kubeletEndpoint"); kubelet.IsMap()) {
    node.kubelet_port = kubelet.Member("Port").Integer(1, 65535).value_or(0);
  }
}

}  // namespace

std::optional<std::strong_ordering> CompareVersions(std::string_view a, std::string_view b) {
  if (!IsVersion(a) || !IsVersion(b)) return std::nullopt;
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

void WriteValue(const Value& value, JsonWriter& json) {
  if (const bool* flag = value.AsBool()) {
    json.Bool(*flag);
  } else if (const Value::Number* number = value.AsNumber()) {
    json.Json(number->text);
  } else if (const std::string* text = value.AsString()) {
    json.String(*text);
  } else if (const Value::List* list = value.AsList()) {
    json.Array([&] {
      for (const Value& item : *list) WriteValue(item, json);
    });
  } else if (const Value::Map* map = value.AsMap()) {
    json.Object([&] {
      for (const auto& [name, member] : *map) {
        json.Key(name);
        WriteValue(member, json);
      }
    });
  } else {
    json.Null();
  }
}

Result<ApiPod> ReadApiPod(const Value& document) {
  kube_json::FaultLog log{.lenient = true};
  const Field root(document, log);
  if (!root.IsMap()) return Fail(ErrorCode::kInvalidArgument, "a pod that is no map");
  const Field metadata = root.Member("metadata");
  auto head = ReadHead(metadata);
  if (!head) return Fail(head.error());
  ApiPod pod{.head = std::move(*head)};
  PodReading reading = ReadPod(document, {.form = PodForm::kApiObject});
  pod.pod = std::move(reading.pod);
  ReadMetadata(metadata, pod);
  const Field status = root.Member("status");
  ReadStatusOf(status, pod);
  TakeAllocated(status, pod);
  pod.faults = std::move(reading.faults);
  for (Fault& fault : log.faults) {
    const auto same = [&](const Fault& other) { return other.key == fault.key; };
    if (std::ranges::none_of(pod.faults, same)) AddFault(pod.faults, std::move(fault));
  }
  return pod;
}

std::string KubeletUrlOf(const ApiNode& node) {
  if (node.internal_ip.empty() || node.kubelet_port == 0) return "";
  const bool is_ip6 = node.internal_ip.find(':') != std::string::npos;
  const std::string host = is_ip6 ? "[" + node.internal_ip + "]" : node.internal_ip;
  return fmt::format("https://{}:{}", host, node.kubelet_port);
}

Result<ApiNode> ReadApiNode(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return Fail(document.error());
  kube_json::FaultLog log{.lenient = true};
  const Field root(*document, log);
  if (!root.IsMap()) return Fail(ErrorCode::kInvalidArgument, "a node that is no map");
  auto head = ReadHead(root.Member("metadata"));
  if (!head) return Fail(head.error());
  ApiNode node{.head = std::move(*head)};
  if (const Field spec = root.Member("spec"); spec.IsMap()) {
    ReadTaints(spec.Member("taints"), node);
  }
  ReadStatusOf(root.Member("status"), node);
  return node;
}

}  // namespace jettison::kube
