#include "sources/kubernetes/objects/api_node.h"

#include <fmt/format.h>

#include <utility>

#include "codec/documents/json.h"
#include "codec/kubernetes/field.h"
#include "core/json/json_writer.h"
#include "sources/kubernetes/objects/api_object.h"

namespace jettison::kube {
namespace {

using kube_json::Field;

void ReadTaints(const Field& list, ApiNode& node) {
  list.ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    Taint taint{.key = item.Member("key").String().value_or(""),
                .effect = item.Member("effect").String().value_or(""),
                .json = {}};
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

std::string KubeletUrlOf(const ApiNode& node) {
  if (node.internal_ip.empty() || node.kubelet_port == 0) return "";
  const bool is_ip6 = node.internal_ip.find(':') != std::string::npos;
  const std::string host = is_ip6 ? "[" + node.internal_ip + "]" : node.internal_ip;
  return fmt::format("https://{}:{}", host, node.kubelet_port);
}

Result<ApiNode> ReadApiNode(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return Fail(document.error());
  kube_json::FaultLog log{.file = {}, .lenient = true, .faults = {}, .warnings = {}};
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
