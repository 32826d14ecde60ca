#include "sources/kubernetes/objects/api_node.h"

#include <utility>

#include "codec/documents/json.h"
#include "codec/kubernetes/field.h"
#include "core/json/json_writer.h"
#include "sources/kubernetes/objects/conditions.h"
#include "sources/kubernetes/objects/value_writer.h"

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

void ReadStatusOf(const Field& status, ApiNode& node) {
  if (!status.IsMap()) return;
  node.conditions = ReadConditions(status.Member("conditions"));
  if (const Field info = status.Member("nodeInfo"); info.IsMap()) {
    node.kubelet_version = info.Member("kubeletVersion").String().value_or("");
  }
}

}  // namespace

Result<ApiNode> ReadApiNode(const Value& document) {
  kube_json::FaultLog log{.file = {}, .lenient = true, .faults = {}, .warnings = {}};
  const Field root(document, log);
  if (!root.IsMap()) return Fail(ErrorCode::kInvalidArgument, "a node that is no map");
  auto head = ReadHead(root.Member("metadata"));
  if (!head) return Fail(head.error());
  ApiNode node{.head = std::move(*head)};
  if (const Field spec = root.Member("spec"); spec.IsMap()) {
    ReadTaints(spec.Member("taints"), node);
    node.is_unschedulable = spec.Member("unschedulable").Bool().value_or(false);
  }
  ReadStatusOf(root.Member("status"), node);
  node.faults = std::move(log.faults);
  return node;
}

Result<ApiNode> ReadApiNode(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return Fail(document.error());
  return ReadApiNode(*document);
}

}  // namespace jettison::kube
