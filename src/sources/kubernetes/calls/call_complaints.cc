#include "sources/kubernetes/calls/call_complaints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codec/documents/json.h"
#include "core/json/json_writer.h"

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

// Empty: there is nothing to log.
std::string MessageOf(const Outcome& outcome, const Right& right) {
  switch (outcome.result) {
    case CallResult::kDone:
    case CallResult::kGone:
    case CallResult::kAnother:
    case CallResult::kConflict: return {};
    case CallResult::kForbidden:
      return fmt::format("the agent has no right to {}; {}", Describe(right), right.cost);
    case CallResult::kUnauthenticated:
      return fmt::format("the API server does not accept the credentials of the agent; {}",
                         right.cost);
    case CallResult::kBusy:
      return fmt::format("the API server is overloaded; {} until it accepts requests again",
                         right.cost);
    case CallResult::kAway:
      if (outcome.is_untrusted) {
        return fmt::format("the certificate of the API server is not trusted; {} until it is",
                           right.cost);
      }
      return fmt::format("the API server does not answer; {} until it does", right.cost);
    case CallResult::kBudget:
    case CallResult::kRefused:
      return fmt::format("the API server refused to {}; {}", Describe(right), right.cost);
  }
  return {};
}

}  // namespace

const std::vector<Right>& NeededRights() {
  static const std::vector<Right> kRights = {
      {"list", "pods", "", "the pods of this node are not known", std::nullopt},
      {"watch", "pods", "", "changes of the pods of this node are not known", std::nullopt},
      {"get", "pods", "", "a single pod cannot be read again", std::nullopt},
      {"delete", "pods", "", "the kubelet starts an evicted pod again", CallPurpose::kDeletePod},
      {"create", "pods", "eviction",
       "soft thresholds evict no pod, because the agent cannot ask for permission",
       CallPurpose::kEvictPod},
      {"patch", "pods", "status",
       "the status of an evicted pod does not show why, and Jobs count it as failed",
       CallPurpose::kMarkPod},
      {"create", "events", "", "evictions are not reported as events", CallPurpose::kCreateEvent},
      {"patch", "events", "", "repeated events are not counted", CallPurpose::kCountEvent},
      {"get", "nodes", "", "the node's taints are not known", CallPurpose::kReadNode},
      {"patch", "nodes", "", "new pods are scheduled onto a node that is under pressure",
       CallPurpose::kTaintNode},
      {"patch", "nodes", "status", "the node conditions do not show the pressure",
       CallPurpose::kSetCondition},
  };
  return kRights;
}

const Right& RightFor(CallPurpose purpose) {
  return *std::ranges::find(NeededRights(), std::optional(purpose), &Right::purpose);
}

ApiCall AskRight(const Right& right) {
  ApiCall call{.method = "POST",
               .path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
               .content_type = kJsonType};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Field("kind", "SelfSubjectAccessReview");
    json.Field("apiVersion", "authorization.k8s.io/v1");
    json.Object("spec", [&] {
      json.Object("resourceAttributes", [&] {
        json.Field("verb", right.verb);
        json.Field("group", "");
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
  return fmt::format("{} {}", right.verb, ResourceOf(right));
}

std::string RuleFor(const Right& right) {
  return fmt::format("- {{apiGroups: [\"\"], resources: [{}], verbs: [{}]}}", ResourceOf(right),
                     right.verb);
}

ApiCall GetVersion() {
  return {.method = "GET", .path = "/version"};
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

std::optional<Complaint> CallComplaints::Take(CallPurpose purpose, const Outcome& outcome) {
  std::uint32_t& said = said_[static_cast<std::size_t>(purpose)];
  if (outcome.ok()) said = 0;
  const Right& right = RightFor(purpose);
  std::string message = MessageOf(outcome, right);
  const std::uint32_t bit = 1U << static_cast<unsigned>(outcome.result);
  if (message.empty() || (said & bit) != 0) return std::nullopt;
  said |= bit;
  return Complaint{
      .message = std::move(message),
      .err = outcome.why,
      .rule = outcome.result == CallResult::kForbidden ? RuleFor(right) : std::string()};
}

}  // namespace jettison::kube
