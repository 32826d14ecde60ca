#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "sources/kubernetes/objects/api_answers.h"

namespace jettison::kube {

inline constexpr const char* kJsonType = "application/json";
// Members replace members, lists replace lists.
inline constexpr const char* kMergePatchType = "application/merge-patch+json";
// Lists that have a key (conditions: `type`) are merged by it.
inline constexpr const char* kStrategicMergePatchType = "application/strategic-merge-patch+json";

// A meta/v1 Time, which has no fraction.
[[nodiscard]] inline std::string WholeSeconds(WallTime time) {
  return FormatWallTime(std::chrono::floor<std::chrono::seconds>(time));
}

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

// When a call that failed is made again: after 0.2 s, then twice as long each time up to 15 s, and
// not before the server allows it.
class CallRetry {
 public:
  // The time of the next try after a failure.
  [[nodiscard]] Instant After(const Outcome& outcome, Instant now);
  // It has succeeded.
  void Reset() { *this = CallRetry(); }

  static constexpr Duration kFirst = std::chrono::milliseconds(200);
  static constexpr Duration kLongest = std::chrono::seconds(15);
  // The longest Retry-After that is respected; a server that asks for more is tried again then.
  static constexpr Duration kMostRetryAfter = std::chrono::minutes(2);

 private:
  Duration next_ = kFirst;
};

// The API server of a cluster as the agent's loop uses it. Nothing blocks: the answer is delivered
// in a later turn of the loop.
class Cluster {
 public:
  using OnReply = std::function<void(const Result<ApiReply>&)>;

  virtual ~Cluster() = default;

  // Makes the call. The answer, or why there is none, comes within `timeout`, or soon after it.
  virtual void Ask(ApiCall call, Duration timeout, OnReply on_reply) = 0;
};

}  // namespace jettison::kube
