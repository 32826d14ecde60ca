#include "sources/kubernetes/calls/api_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace jettison::kube {
namespace {

// The API server's message for a failed precondition on the UID, which has no reason of its own.
// Source: storage.Preconditions.Check (1.36).
constexpr std::string_view kOtherUid = "UID in the precondition";
// Source: pkg/registry/core/pod/storage, EvictionREST.Create (1.36).
constexpr std::string_view kTwoBudgets = "more than one PodDisruptionBudget";
// The reason that an API server itself gives with a 404. A load balancer without one behind it, or
// a proxy with a wrong path, says 404 as well, and knows nothing of the object.
constexpr std::string_view kNotFound = "NotFound";

bool HasCause(const ApiStatus& status, std::string_view reason) {
  return std::ranges::any_of(status.causes,
                             [&](const StatusCause& cause) { return cause.reason == reason; });
}

bool IsAboutUid(const ApiStatus& status) {
  return std::ranges::any_of(
      status.causes, [](const StatusCause& cause) { return cause.field == "metadata.uid"; });
}

CallResult ResultOf(const ApiStatus& status, int code) {
  switch (code) {
    case 401: return CallResult::kUnauthenticated;
    case 403: return CallResult::kForbidden;
    case 404: return status.reason == kNotFound ? CallResult::kGone : CallResult::kAway;
    case 409:
      return status.message.find(kOtherUid) == std::string::npos ? CallResult::kConflict
                                                                 : CallResult::kAnother;
    case 422: return IsAboutUid(status) ? CallResult::kAnother : CallResult::kRefused;
    case 429: return HasCause(status, "DisruptionBudget") ? CallResult::kBudget : CallResult::kBusy;
    default: break;
  }
  if (code < 500) return CallResult::kRefused;
  return status.message.find(kTwoBudgets) == std::string::npos ? CallResult::kAway
                                                               : CallResult::kBudget;
}

std::string WordsOf(ApiStatus status, CallResult result, int code) {
  if (result == CallResult::kBudget && !status.causes.empty() &&
      !status.causes.front().message.empty()) {
    return std::move(status.causes.front().message);
  }
  if (!status.message.empty()) return std::move(status.message);
  return "HTTP status " + std::to_string(code);
}

}  // namespace

Outcome OutcomeOf(const Result<ApiReply>& reply) {
  if (!reply) {
    return {.result = CallResult::kAway,
            .why = reply.error().message,
            .is_untrusted = reply.error().code == ErrorCode::kPermissionDenied};
  }
  if (reply->status >= 200 && reply->status < 300) return {};
  ApiStatus status = StatusOf(reply->status, reply->body);
  Outcome outcome{.result = ResultOf(status, reply->status),
                  .retry_after = reply->retry_after ? reply->retry_after : status.retry_after};
  outcome.why = WordsOf(std::move(status), outcome.result, reply->status);
  return outcome;
}

Outcome OutcomeOf(const Result<ApiReply>& reply, const AnswerObject& object) {
  Outcome outcome = OutcomeOf(reply);
  if (!outcome.ok() || IsSuccess(reply->body, object)) return outcome;
  return {.result = CallResult::kAway,
          .why = fmt::format("HTTP status {} with a text that is not an API server's: {}",
                             reply->status, StatusOf(reply->status, reply->body).message)};
}

Instant CallRetry::After(const Outcome& outcome, Instant now) {
  const Duration pause = std::exchange(next_, std::min(2 * next_, kLongest));
  const Duration wanted = std::min(outcome.retry_after.value_or(Duration(0)), kMostRetryAfter);
  return now + std::max(pause, wanted);
}

}  // namespace jettison::kube
