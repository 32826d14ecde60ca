#pragma once

#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {

// When a call that failed is made again: after 0.2 s, then twice as long each time up to 15 s, and
// not before the server allows it. A failure that needs a person is tried again once a minute. A
// server that has just started denies everything until it has read its roles, so what it denies
// after it did not answer is tried sooner at first.
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
  static constexpr Duration kDenied = std::chrono::minutes(1);
  // How often a server that did not answer is asked again soon about what it denies: for 6 s.
  static constexpr int kTriesAfterAway = 5;

 private:
  Duration next_ = kFirst;
  bool was_unknown_ = false;  // the API server did not know the agent the last time
  bool was_away_ = false;     // it did not answer the last time
  int tries_after_away_ = 0;  // that are left
};

}  // namespace jettison::kube
