#include "sources/kubernetes/calls/call_retry.h"

#include <algorithm>
#include <utility>

namespace jettison::kube {
namespace {

bool NeedsAPerson(CallResult result) {
  switch (result) {
    case CallResult::kForbidden:
    case CallResult::kUnauthenticated:
    case CallResult::kBudget:
    case CallResult::kRefused: return true;
    case CallResult::kDone:
    case CallResult::kGone:
    case CallResult::kAnother:
    case CallResult::kConflict:
    case CallResult::kBusy:
    case CallResult::kAway: return false;
  }
  return false;
}

}  // namespace

Instant CallRetry::After(const Outcome& outcome, Instant now) {
  const bool is_denied = outcome.result == CallResult::kForbidden;
  const bool is_unknown = outcome.result == CallResult::kUnauthenticated;
  // A token that was refused is read again from its file, so the next call may have a new one.
  const bool may_have_new_token = is_unknown && !std::exchange(was_unknown_, is_unknown);
  if (std::exchange(was_away_, outcome.result == CallResult::kAway)) {
    tries_after_away_ = kTriesAfterAway;
    if (is_denied) next_ = kFirst;
  }
  const bool may_have_just_started = is_denied && tries_after_away_ > 0;
  if (may_have_just_started) --tries_after_away_;
  const Duration pause = std::exchange(next_, std::min(2 * next_, kLongest));
  const bool may_pass = may_have_new_token || may_have_just_started;
  if (NeedsAPerson(outcome.result) && !may_pass) return now + kDenied;
  const Duration wanted = std::min(outcome.retry_after.value_or(Duration(0)), kMostRetryAfter);
  return now + std::max(pause, wanted);
}

}  // namespace jettison::kube
