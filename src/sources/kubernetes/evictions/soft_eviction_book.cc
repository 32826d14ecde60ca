#include "sources/kubernetes/evictions/soft_eviction_book.h"

#include <algorithm>
#include <cstddef>

namespace jettison::kube {
namespace {

constexpr Duration kHour = std::chrono::hours(1);
constexpr const char* kGrantedAlready = "the API server is ending it already";

bool LacksRight(CallResult result) {
  return result == CallResult::kForbidden || result == CallResult::kUnauthenticated;
}

}  // namespace

std::optional<SoftHold> SoftEvictionBook::HoldAt(Instant now) const {
  if (asked_ && now < asked_->until) {
    return SoftHold{.reason = PaceReason::kAsked, .until = asked_->until};
  }
  if (setback_ && now < setback_->until) return setback_;
  if (granted_.empty()) return std::nullopt;
  const Instant cooled = granted_.back() + limits_.cool_down;
  if (now < cooled) return SoftHold{.reason = PaceReason::kCoolDown, .until = cooled};
  const auto most = static_cast<std::size_t>(limits_.per_hour);
  if (granted_.size() < most) return std::nullopt;
  const Instant free = granted_[granted_.size() - most] + kHour;
  if (now >= free) return std::nullopt;
  return SoftHold{.reason = PaceReason::kHourlyRate, .until = free};
}

std::vector<SparedPod> SoftEvictionBook::SparedAt(Instant now) const {
  std::vector<SparedPod> pods;
  for (const auto& [uid, spared] : spared_) {
    if (now < spared.until) pods.push_back({.uid = uid, .why = spared.why, .until = spared.until});
  }
  return pods;
}

SoftEvictionsSoFar SoftEvictionBook::SoFar(Instant now) const {
  SoftEvictionsSoFar so_far{.spared = SparedAt(now)};
  const auto most = std::max<std::size_t>(static_cast<std::size_t>(limits_.per_hour), 1);
  const std::size_t past = granted_.size() - std::min(granted_.size(), most);
  for (std::size_t i = past; i < granted_.size(); ++i) {
    if (granted_[i] + kHour > now) so_far.granted.push_back(granted_[i]);
  }
  return so_far;
}

void SoftEvictionBook::Resume(const SoftEvictionsSoFar& before, Instant now) {
  granted_.assign(before.granted.begin(), before.granted.end());
  for (const SparedPod& pod : before.spared) {
    spared_[pod.uid] = {.why = pod.why, .until = std::min(pod.until, now + kRemember)};
  }
  Forget(now);
}

void SoftEvictionBook::Asked(const std::string& uid, Instant now) {
  Forget(now);
  asked_ = Question{.uid = uid, .until = now + kAnswerWithin};
}

SoftVerdict SoftEvictionBook::Take(const std::string& uid, const Outcome& outcome, Instant now) {
  if (asked_ && asked_->uid == uid) asked_.reset();
  switch (outcome.result) {
    case CallResult::kDone:
      retry_.Reset();
      if (IsGranted(uid, now)) return {.answer = SoftAnswer::kOver};
      granted_.push_back(now);
      LeaveOut(uid, kGrantedAlready, now);
      return {.answer = SoftAnswer::kGranted};
    case CallResult::kGone:
    case CallResult::kAnother:
      retry_.Reset();
      LeaveOut(uid, "the API server has no such pod any more", now);
      return {.answer = SoftAnswer::kOver};
    case CallResult::kBudget:
    case CallResult::kRefused: retry_.Reset(); return Spare(uid, outcome, now);
    case CallResult::kConflict:
    case CallResult::kForbidden:
    case CallResult::kUnauthenticated:
    case CallResult::kBusy:
    case CallResult::kAway: break;
  }
  setback_ =
      SoftHold{.reason = LacksRight(outcome.result) ? PaceReason::kNoRight : PaceReason::kApiAway,
               .until = retry_.After(outcome, now)};
  return {.answer = SoftAnswer::kLater};
}

SoftVerdict SoftEvictionBook::Spare(const std::string& uid, const Outcome& outcome, Instant now) {
  const Duration wanted =
      std::min(outcome.retry_after.value_or(Duration(0)), CallRetry::kMostRetryAfter);
  const Instant until = now + std::max(kSpareFor, wanted);
  Spared& spared = spared_[uid];
  const bool is_news = spared.why != outcome.why;
  spared = {.why = outcome.why, .until = until};
  SoftVerdict verdict{.answer = SoftAnswer::kSpared};
  if (is_news) verdict.spared = SparedPod{.uid = uid, .why = outcome.why, .until = until};
  return verdict;
}

// A request whose answer was late is made again, and the API server grants both.
bool SoftEvictionBook::IsGranted(const std::string& uid, Instant now) const {
  const auto at = spared_.find(uid);
  return at != spared_.end() && now < at->second.until && at->second.why == kGrantedAlready;
}

void SoftEvictionBook::LeaveOut(const std::string& uid, const char* why, Instant now) {
  spared_[uid] = {.why = why, .until = now + kRemember};
}

void SoftEvictionBook::Forget(Instant now) {
  while (!granted_.empty() && granted_.front() + kHour <= now) granted_.pop_front();
  std::erase_if(spared_,
                [now](const auto& entry) { return entry.second.until + kRemember <= now; });
}

}  // namespace jettison::kube
