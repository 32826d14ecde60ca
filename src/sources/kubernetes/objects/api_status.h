#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/kubernetes/field.h"
#include "core/units/duration.h"

namespace jettison::kube {

// One of the things that an API server gives as its reason (`details.causes`).
struct StatusCause {
  std::string reason;  // "DisruptionBudget", "ResourceVersionTooLarge"
  std::string message;
  std::string field;  // "metadata.uid"
  friend bool operator==(const StatusCause&, const StatusCause&) = default;
};

// What an API server says instead of an object: a meta/v1 Status.
struct ApiStatus {
  int code = 0;        // of HTTP; 0 where it does not say
  std::string reason;  // "NotFound", "Conflict", "Expired"
  std::string message;
  std::vector<StatusCause> causes;
  std::optional<Duration> retry_after;  // `details.retryAfterSeconds`
};

[[nodiscard]] ApiStatus ReadStatus(const kube_json::Field& root);

// The status in the body of an answer. Where it is none (a proxy in between, an old server), its
// code is that of HTTP and its message the beginning of the text.
[[nodiscard]] ApiStatus StatusOf(int http_code, std::string_view body);

// What the body of a successful answer has to be.
struct AnswerObject {
  std::string_view kind;  // "Pod"
  std::string_view uid;   // empty: any
};

// Whether the body of an answer is such an object, or a Status with the status Success. What a
// proxy or a load balancer says in place of an API server is neither.
[[nodiscard]] bool IsSuccess(std::string_view body, const AnswerObject& object);

}  // namespace jettison::kube
