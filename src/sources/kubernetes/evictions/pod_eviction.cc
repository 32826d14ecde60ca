#include "sources/kubernetes/evictions/pod_eviction.h"

#include <algorithm>
#include <utility>

#include "sources/kubernetes/calls/object_calls.h"

namespace jettison::kube {
namespace {

PodTarget TargetOf(const EvictionIntent& intent) {
  return {.namespace_ = intent.namespace_, .name = intent.name, .uid = intent.uid};
}

}  // namespace

Duration PodEviction::Step::Begin() {
  is_awaited = true;
  return std::exchange(is_tried, true) ? kTimeout : kFirstTimeout;
}

PodEviction::PodEviction(EvictionIntent intent, Instant evicted_at, Instant delete_due)
    : intent_(std::move(intent)),
      give_up_at_(evicted_at + kMostTime),
      mark_{.due = evicted_at},
      delete_{.due = delete_due} {}

void PodEviction::TaintSettled(Instant now) {
  if (!delete_.is_tried) delete_.due = std::min(delete_.due, now);
}

// Whether a mark that is made then still counts.
bool PodEviction::Counts(Instant mark_at) const {
  return !is_marked_ && (!deleted_at_ || mark_at <= *deleted_at_ + kMarkAfterDelete);
}

std::optional<Instant> PodEviction::due() const {
  if (end_) return std::nullopt;
  std::optional<Instant> due;
  if (!mark_.is_awaited && Counts(mark_.due)) due = mark_.due;
  if (!delete_.is_awaited && !deleted_at_) due = std::min(due.value_or(delete_.due), delete_.due);
  return MayGiveUp() ? std::min(due.value_or(give_up_at_), give_up_at_) : due;
}

std::vector<EvictionCall> PodEviction::TakeCalls(Instant now, WallTime wall) {
  const auto is_due = due();
  if (!is_due || now < *is_due) return {};
  if (MayGiveUp() && now >= give_up_at_) {
    end_ = EvictionEnd::kGivenUp;
    return {};
  }
  std::vector<EvictionCall> calls;
  const PodTarget pod = TargetOf(intent_);
  if (IsDue(mark_, now) && Counts(now)) {
    calls.push_back({.purpose = CallPurpose::kMarkPod,
                     .call = MarkPod(pod, {.message = intent_.message,
                                           .now = wall,
                                           .disruption_target = intent_.disruption_target}),
                     .timeout = mark_.Begin()});
  }
  if (IsDue(delete_, now) && !deleted_at_) {
    calls.push_back({.purpose = CallPurpose::kDeletePod,
                     .call = DeletePod(pod, intent_.grace_seconds),
                     .timeout = delete_.Begin()});
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
  if (end_ || mark_.is_awaited || delete_.is_awaited || !deleted_at_) return;
  if (!IsDue(mark_, now) || !Counts(now)) end_ = EvictionEnd::kDeleted;
}

// The answer to a mark ends nothing: only the DELETE keeps the kubelet from starting the pod again.
void PodEviction::TakeMark(const Outcome& outcome, Instant now) {
  mark_.is_awaited = false;
  is_marked_ = outcome.ok();
  // A conflict means that the kubelet has written the pod meanwhile; its write is over, so the mark
  // is due at once, until it does not count any more.
  const bool has_met_another = outcome.result == CallResult::kConflict;
  mark_.due = has_met_another ? now : mark_.retry.After(outcome, now);
}

void PodEviction::TakeDelete(const Outcome& outcome, Instant now) {
  delete_.is_awaited = false;
  if (outcome.ok()) {
    deleted_at_ = now;
  } else if (outcome.is_over()) {
    end_ = EvictionEnd::kGone;
  } else {
    delete_.due = delete_.retry.After(outcome, now);
  }
}

}  // namespace jettison::kube
