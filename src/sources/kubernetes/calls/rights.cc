#include "sources/kubernetes/calls/rights.h"

#include <fmt/format.h>

#include "codec/documents/json.h"
#include "core/json/json_writer.h"
#include "sources/kubernetes/calls/content_types.h"

namespace jettison::kube {
namespace {

// The JSON of a successful answer.
Result<Value> DocumentOf(const Result<ApiReply>& reply) {
  if (!reply) return Fail(reply.error());
  if (const Outcome outcome = OutcomeOf(reply); !outcome.ok()) {
    const bool denied =
        outcome.result == CallResult::kForbidden || outcome.result == CallResult::kUnauthenticated;
    return Fail(denied ? ErrorCode::kPermissionDenied : ErrorCode::kUnavailable, outcome.why);
  }
  return ParseJson(reply->body);
}

std::string ResourceOf(const Right& right) {
  if (right.subresource.empty()) return std::string(right.resource);
  return fmt::format("{}/{}", right.resource, right.subresource);
}

}  // namespace

const std::vector<Right>& NeededRights() {
  static const std::vector<Right> kRights = {
      {"list", "pods", "", "", "the pods of this node are not known"},
      {"watch", "pods", "", "", "changes of the pods of this node are not known"},
      {"get", "pods", "", "", "a single pod cannot be read again"},
      {"delete", "pods", "", "", "the kubelet starts an evicted pod again"},
      {"create", "pods", "eviction", "",
       "soft thresholds evict no pod, because the agent cannot ask for permission"},
      {"patch", "pods", "status", "",
       "the status of an evicted pod does not show why, and Jobs count it as failed"},
      {"create", "events", "", "", "evictions are not reported as events"},
      {"patch", "events", "", "", "repeated events are not counted"},
      {"get", "nodes", "", "", "the node's taints are not known"},
      {"patch", "nodes", "", "", "new pods are scheduled onto a node that is under pressure"},
      {"patch", "nodes", "status", "", "the node conditions do not show the pressure"},
  };
  return kRights;
}

ApiCall AskRight(const Right& right) {
  ApiCall call{.method = "POST",
               .path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
               .content_type = kJsonType,
               .body = {}};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Field("kind", "SelfSubjectAccessReview");
    json.Field("apiVersion", "authorization.k8s.io/v1");
    json.Object("spec", [&] {
      json.Object("resourceAttributes", [&] {
        json.Field("verb", right.verb);
        json.Field("group", right.group);
        json.Field("resource", right.resource);
        if (!right.subresource.empty()) json.Field("subresource", right.subresource);
      });
    });
  });
  return call;
}

Result<bool> ReadRight(const Result<ApiReply>& reply) {
  const auto document = DocumentOf(reply);
  if (!document) return Fail(document.error());
  const Value* status = document->Find("status");
  const Value* allowed = status == nullptr ? nullptr : status->Find("allowed");
  if (allowed == nullptr || allowed->AsBool() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "the answer does not say whether it is allowed");
  }
  return *allowed->AsBool();
}

std::string Describe(const Right& right) {
  return fmt::format("{} {}{}{}", right.verb, ResourceOf(right), right.group.empty() ? "" : ".",
                     right.group);
}

std::string RuleFor(const Right& right) {
  return fmt::format("- {{apiGroups: [\"{}\"], resources: [{}], verbs: [{}]}}", right.group,
                     ResourceOf(right), right.verb);
}

ApiCall GetVersion() {
  return {.method = "GET", .path = "/version", .content_type = {}, .body = {}};
}

Result<std::string> ReadVersion(const Result<ApiReply>& reply) {
  const auto document = DocumentOf(reply);
  if (!document) return Fail(document.error());
  const Value* version = document->Find("gitVersion");
  if (version == nullptr || version->AsString() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "the answer has no version");
  }
  return *version->AsString();
}

}  // namespace jettison::kube
