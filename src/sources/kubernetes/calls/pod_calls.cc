#include "sources/kubernetes/calls/pod_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/json/json_writer.h"
#include "http/client/client.h"
#include "sources/kubernetes/calls/api_call.h"

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

}  // namespace

ApiCall DeletePod(const PodTarget& pod, std::int64_t grace_seconds) {
  ApiCall call{.method = "DELETE", .path = PathOf(pod), .content_type = kJsonType, .body = {}};
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
  ApiCall call{.method = "PATCH",
               .path = PathOf(pod) + "/status",
               .content_type = kStrategicMergePatchType,
               .body = {}};
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
  ApiCall call{
      .method = "POST", .path = PathOf(pod) + "/eviction", .content_type = kJsonType, .body = {}};
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

}  // namespace jettison::kube
