#include "sources/kubernetes/calls/event_queue.h"

#include <algorithm>
#include <utility>

namespace jettison::kube {
namespace {

// Whether the same call may succeed later.
bool IsForNow(CallResult result) {
  switch (result) {
    case CallResult::kAway:
    case CallResult::kBusy:
    case CallResult::kUnauthenticated: return true;
    case CallResult::kDone:
    case CallResult::kGone:
    case CallResult::kAnother:
    case CallResult::kConflict:
    case CallResult::kBudget:
    case CallResult::kForbidden:
    case CallResult::kRefused: return false;
  }
  return false;
}

}  // namespace

bool TokenBucket::Take(Instant now) {
  if (now < next_) return false;
  // Unused time is saved, but for no more than a burst.
  const Instant from = now - most_ahead_;
  paid_until_ = std::max(paid_until_, from) + every_;
  next_ = paid_until_;
  return true;
}

bool EventQueue::MayTell(const EventObject& about, Instant now) {
  auto at = std::ranges::find(objects_, about, &Object::about);
  if (at == objects_.end()) {
    objects_.push_front({.about = about});
    if (objects_.size() > kMostObjects) objects_.pop_back();
  } else {
    objects_.splice(objects_.begin(), objects_, at);
  }
  return objects_.front().bucket.Take(now);
}

void EventQueue::Tell(const EventObject& about, const Event& event, Instant now, WallTime wall) {
  if (!MayTell(about, now)) {
    ++dropped_;
    return;
  }
  waiting_.push_back({.about = about, .event = event, .at = now, .wall = wall});
  if (waiting_.size() <= kMostWaiting) return;
  waiting_.pop_front();
  ++dropped_;
}

std::optional<Instant> EventQueue::due() const {
  if (is_awaited_) return std::nullopt;
  if (current_) return not_before_;
  if (waiting_.empty()) return std::nullopt;
  return std::max(not_before_, all_.next());
}

std::optional<ApiCall> EventQueue::TakeCall(Instant now) {
  const auto at = due();
  if (!at || *at > now) return std::nullopt;
  if (!current_) {
    (void)all_.Take(now);
    const Waiting first = std::move(waiting_.front());
    waiting_.pop_front();
    current_ = {.told = book_.Tell(first.about, first.event, first.wall), .at = first.at};
  }
  is_awaited_ = true;
  return current_->told.call;
}

CallPurpose EventQueue::purpose() const {
  const bool counts = current_ && current_->told.call.method == "PATCH";
  return counts ? CallPurpose::kCountEvent : CallPurpose::kCreateEvent;
}

void EventQueue::Take(const Outcome& outcome, Instant now, WallTime wall) {
  if (!is_awaited_) return;
  is_awaited_ = false;
  if (IsForNow(outcome.result) && now < current_->at + kMostAge) {
    not_before_ = retry_.After(outcome, now);
    return;
  }
  // The call is given up. If the server is still away, the next call keeps the retry interval.
  not_before_ = IsForNow(outcome.result) ? retry_.After(outcome, now) : Instant::min();
  if (!IsForNow(outcome.result)) retry_.Reset();
  // An earlier try, whose answer was lost, has created an event with this name.
  const bool is_made =
      outcome.result == CallResult::kConflict && purpose() == CallPurpose::kCreateEvent;
  End(is_made ? Outcome{} : outcome, wall);
}

void EventQueue::End(const Outcome& outcome, WallTime wall) {
  auto again = book_.Take(current_->told.id, outcome, wall);
  if (again) {
    current_->told = *std::move(again);
    return;
  }
  if (!outcome.ok()) ++dropped_;
  current_.reset();
}

}  // namespace jettison::kube
