#include "sources/kubernetes/evictions/pod_eviction.h"

#include <algorithm>
#include <utility>

#include "sources/kubernetes/calls/pod_calls.h"

namespace jettison::kube {
namespace {

PodTarget TargetOf(const EvictionIntent& intent) {
  return {.namespace_ = intent.namespace_, .name = intent.name, .uid = intent.uid};
}

}  // namespace

PodEviction::PodEviction(EvictionIntent intent, Instant evicted_at, Instant first_due)
    : intent_(std::move(intent)),
      give_up_at_(evicted_at + kMostTime),
      due_(first_due),
      mark_due_(Instant::min()) {}

void PodEviction::TaintSettled(Instant now) {
  if (!is_tried_) due_ = std::min(due_, now);
}

std::optional<Instant> PodEviction::due() const {
  if (end_ || awaits_mark_ || awaits_delete_) return std::nullopt;
  return deleted_at_ ? due_ : std::min(due_, give_up_at_);
}

bool PodEviction::MarkIsDue(Instant now) const {
  if (is_marked_ || now < mark_due_) return false;
  return !deleted_at_ || now <= *deleted_at_ + kMarkAfterDelete;
}

std::vector<EvictionCall> PodEviction::TakeCalls(Instant now, WallTime wall) {
  const auto is_due = due();
  if (!is_due || now < *is_due) return {};
  if (!deleted_at_ && now >= give_up_at_) {
    end_ = EvictionEnd::kGivenUp;
    return {};
  }
  const Duration timeout = std::exchange(is_tried_, true) ? kTimeout : kFirstTimeout;
  std::vector<EvictionCall> calls;
  const PodTarget pod = TargetOf(intent_);
  awaits_mark_ = MarkIsDue(now);
  if (awaits_mark_) {
    calls.push_back({.purpose = CallPurpose::kMarkPod,
                     .call = MarkPod(pod, {.message = intent_.message, .now = wall}),
                     .timeout = timeout});
  }
  awaits_delete_ = !deleted_at_;
  if (awaits_delete_) {
    calls.push_back({.purpose = CallPurpose::kDeletePod,
                     .call = DeletePod(pod, intent_.grace_seconds),
                     .timeout = timeout});
  }
  if (calls.empty()) end_ = EvictionEnd::kDeleted;
  return calls;
}

void PodEviction::Take(CallPurpose purpose, const Outcome& outcome, Instant now) {
  if (end_) return;
  if (purpose == CallPurpose::kMarkPod) {
    TakeMark(outcome, now);
  } else {
    TakeDelete(outcome, now);
  }
  if (end_ || awaits_mark_ || awaits_delete_) return;
  if (!deleted_at_) {
    if (is_gone_) end_ = EvictionEnd::kGone;
    return;
  }
  due_ = now;
  if (!MarkIsDue(now)) end_ = EvictionEnd::kDeleted;
}

void PodEviction::TakeMark(const Outcome& outcome, Instant now) {
  awaits_mark_ = false;
  is_marked_ = outcome.ok();
  is_gone_ = outcome.is_over();
  // A conflict means that the kubelet has written the pod meanwhile; its write is over, so the mark
  // is due at once.
  mark_due_ = outcome.result == CallResult::kConflict ? now : mark_retry_.After(outcome, now);
}

void PodEviction::TakeDelete(const Outcome& outcome, Instant now) {
  awaits_delete_ = false;
  if (outcome.ok()) {
    deleted_at_ = now;
  } else if (outcome.is_over()) {
    end_ = EvictionEnd::kGone;
  } else {
    due_ = delete_retry_.After(outcome, now);
  }
}

}  // namespace jettison::kube
