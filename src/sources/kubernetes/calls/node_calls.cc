#include "sources/kubernetes/calls/node_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codec/documents/json.h"
#include "core/json/json_writer.h"
#include "http/client/client.h"
#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {
namespace {

std::string PathOf(const std::string& node) {
  return "/api/v1/nodes/" + EncodedForUrl(node);
}

template <typename WriteItems>
ApiCall PatchConditions(const std::string& node, WriteItems write_items) {
  ApiCall call{.method = "PATCH",
               .path = PathOf(node) + "/status",
               .content_type = kStrategicMergePatchType,
               .body = {}};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Object("status", [&] { json.Array("conditions", [&] { write_items(json); }); });
  });
  return call;
}

bool IsMeant(const Taint& taint, const TaintWish& wish) {
  return taint.key == wish.key && taint.effect == wish.effect;
}

}  // namespace

ApiCall GetNode(const std::string& name) {
  return {.method = "GET", .path = PathOf(name), .content_type = {}, .body = {}};
}

ApiCall SetNodeConditions(const std::string& node, const std::vector<NodeCondition>& conditions) {
  return PatchConditions(node, [&](JsonWriter& json) {
    for (const NodeCondition& condition : conditions) {
      json.Object([&] {
        json.Field("type", condition.type);
        json.Field("status", condition.holds ? "True" : "False");
        json.Field("reason", condition.reason);
        json.Field("message", condition.message);
        json.Field("lastHeartbeatTime", WholeSeconds(condition.heartbeat));
        json.Field("lastTransitionTime", WholeSeconds(condition.transition));
      });
    }
  });
}

ApiCall RemoveNodeConditions(const std::string& node, const std::vector<std::string>& types) {
  return PatchConditions(node, [&](JsonWriter& json) {
    for (const std::string& type : types) {
      json.Object([&] {
        json.Field("$patch", "delete");
        json.Field("type", type);
      });
    }
  });
}

std::optional<ApiCall> ChangeTaint(const ApiNode& node, const TaintWish& wish) {
  const bool is_there =
      std::ranges::any_of(node.taints, [&](const Taint& taint) { return IsMeant(taint, wish); });
  if (is_there == wish.present) return std::nullopt;
  ApiCall call{.method = "PATCH",
               .path = PathOf(node.head.name),
               .content_type = kMergePatchType,
               .body = {}};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Object("metadata", [&] {
      json.Field("uid", node.head.uid);
      json.Field("resourceVersion", node.head.resource_version);
    });
    json.Object("spec", [&] {
      json.Array("taints", [&] {
        for (const Taint& taint : node.taints) {
          if (!IsMeant(taint, wish)) json.Json(taint.json);
        }
        if (!wish.present) return;
        json.Object([&] {
          json.Field("key", wish.key);
          json.Field("effect", wish.effect);
        });
      });
    });
  });
  return call;
}

ApiCall GetKubeletConfiguration(const std::string& node) {
  return {.method = "GET", .path = PathOf(node) + "/proxy/configz", .content_type = {}, .body = {}};
}

ApiCall GetOwnKubeletConfiguration() {
  return {.method = "GET", .path = "/configz", .content_type = {}, .body = {}};
}

Result<Value> ReadKubeletConfiguration(std::string_view body) {
  const auto document = ParseJson(body);
  if (!document) return Fail(document.error().In("configz"));
  const Value* configuration = document->Find("kubeletconfig");
  if (configuration == nullptr || configuration->AsMap() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "configz has no kubeletconfig");
  }
  return *configuration;
}

}  // namespace jettison::kube
