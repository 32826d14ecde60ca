#include "sources/kubernetes/calls/object_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "codec/documents/json.h"
#include "core/json/json_writer.h"
#include "http/client/client.h"

namespace jettison::kube {
namespace {

std::string PathOf(const PodTarget& pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", EncodedForUrl(pod.namespace_),
                     EncodedForUrl(pod.name));
}

// For 0 an API server removes the object at once, without waiting for the kubelet, so that the
// pod's replacement starts while the pod still runs. The kubelet raises a grace period of 0 as
// well.
constexpr std::int64_t kLeastGraceSeconds = 1;

void WriteGrace(std::int64_t seconds, JsonWriter& json) {
  json.Field("gracePeriodSeconds", std::max(seconds, kLeastGraceSeconds));
}

void WritePreconditions(const PodTarget& pod, JsonWriter& json) {
  json.Object("preconditions", [&] { json.Field("uid", pod.uid); });
}

std::string PathOf(const std::string& node) {
  return "/api/v1/nodes/" + EncodedForUrl(node);
}

template <typename WriteItems>
ApiCall PatchConditions(const std::string& node, WriteItems write_items) {
  ApiCall call{.method = "PATCH",
               .path = PathOf(node) + "/status",
               .content_type = kStrategicMergePatchType};
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

ApiCall DeletePod(const PodTarget& pod, std::int64_t grace_seconds) {
  ApiCall call{.method = "DELETE", .path = PathOf(pod), .content_type = kJsonType};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Field("kind", "DeleteOptions");
    json.Field("apiVersion", "v1");
    WriteGrace(grace_seconds, json);
    WritePreconditions(pod, json);
  });
  return call;
}

ApiCall MarkPod(const PodTarget& pod, const DisruptionMark& mark) {
  ApiCall call{
      .method = "PATCH", .path = PathOf(pod) + "/status", .content_type = kStrategicMergePatchType};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Object("metadata", [&] { json.Field("uid", pod.uid); });  // must match on the server
    json.Object("status", [&] {
      json.Field("reason", "Evicted");
      json.Field("message", mark.message);
      if (!mark.disruption_target) return;
      json.Array("conditions", [&] {
        json.Object([&] {
          json.Field("type", "DisruptionTarget");
          json.Field("status", "True");
          json.Field("reason", "TerminationByKubelet");
          json.Field("message", mark.message);
          json.Field("lastTransitionTime", WholeSeconds(mark.now));
        });
      });
    });
  });
  return call;
}

ApiCall EvictPod(const PodTarget& pod, const EvictionOptions& options) {
  ApiCall call{.method = "POST", .path = PathOf(pod) + "/eviction", .content_type = kJsonType};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Field("kind", "Eviction");
    json.Field("apiVersion", "policy/v1");
    json.Object("metadata", [&] {
      json.Field("name", pod.name);
      json.Field("namespace", pod.namespace_);
    });
    json.Object("deleteOptions", [&] {
      if (options.grace_seconds) WriteGrace(*options.grace_seconds, json);
      if (options.dry_run) json.Array("dryRun", [&] { json.String("All"); });
      WritePreconditions(pod, json);
    });
  });
  return call;
}

ApiCall GetNode(const std::string& name) {
  return {.method = "GET", .path = PathOf(name)};
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
  ApiCall call{.method = "PATCH", .path = PathOf(node.head.name), .content_type = kMergePatchType};
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
  return {.method = "GET", .path = PathOf(node) + "/proxy/configz"};
}

ApiCall GetOwnKubeletConfiguration() {
  return {.method = "GET", .path = "/configz"};
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
