#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "sources/kubernetes/objects/api_status.h"

namespace jettison::kube {

// A request to an API server.
struct ApiCall {
  std::string method = "GET";
  std::string path;  // with its query, encoded
  std::string content_type;
  std::string body;  // empty: none
  friend bool operator==(const ApiCall&, const ApiCall&) = default;
};

// What an API server answered, whatever its status.
struct ApiReply {
  int status = 0;
  std::string body;
  std::optional<Duration> retry_after;
};

// What became of a call.
enum class CallResult : std::uint8_t {
  kDone,
  kGone,             // there is no such object (any more), in the API server's own words
  kAnother,          // another object has this name by now
  kConflict,         // it was changed meanwhile: read it again, and try again
  kBudget,           // a PodDisruptionBudget forbids it, or two do not agree
  kForbidden,        // the agent has no right to it
  kUnauthenticated,  // the API server does not know the agent: its token or certificate
  kBusy,             // later, when `retry_after` is over
  kAway,             // no answer of an API server, or a fault of it (5xx)
  kRefused,          // it is wrong in itself, and would be again
};
// "done", "gone", "another", ...
[[nodiscard]] const char* NameOf(CallResult result);

struct Outcome {
  CallResult result = CallResult::kDone;
  std::string why;  // the server's words; empty where done
  std::optional<Duration> retry_after;
  bool is_untrusted = false;  // kAway: the certificate of the API server is not trusted

  [[nodiscard]] bool ok() const { return result == CallResult::kDone; }
  // Whether the object that was meant is not there (any more), so that nothing remains to be done.
  [[nodiscard]] bool is_over() const {
    return result == CallResult::kGone || result == CallResult::kAnother;
  }
};

// What an answer means. A precondition on the UID that does not hold is kAnother.
[[nodiscard]] Outcome OutcomeOf(const Result<ApiReply>& reply);
// As the other, where a successful answer has this object or a Status of success as its body: any
// other text is no answer of an API server (kAway), whatever its status.
[[nodiscard]] Outcome OutcomeOf(const Result<ApiReply>& reply, const AnswerObject& object);

// One part of a path or a value of a query.
[[nodiscard]] std::string PathPart(const std::string& text);

}  // namespace jettison::kube
