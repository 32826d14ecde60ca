#pragma once

#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {

// When a call that did not succeed is made again: after 0.2 s, doubling to 15 s, and not before the
// server wants it. What only a person can mend is tried once a minute.
class CallRetry {
 public:
  // After an outcome that was none of success.
  [[nodiscard]] Instant After(const Outcome& outcome, Instant now);
  // It has succeeded.
  void Reset() { *this = CallRetry(); }

  static constexpr Duration kFirst = std::chrono::milliseconds(200);
  static constexpr Duration kLongest = std::chrono::seconds(15);
  // A server that wants to be left alone for longer is asked all the same.
  static constexpr Duration kMostRetryAfter = std::chrono::minutes(2);
  static constexpr Duration kDenied = std::chrono::minutes(1);

 private:
  Duration next_ = kFirst;
  bool was_unknown_ = false;  // the API server did not know the agent the last time
};

}  // namespace jettison::kube
