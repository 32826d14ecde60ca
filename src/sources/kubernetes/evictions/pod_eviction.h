#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/units/duration.h"
#include "core/units/wall_time.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/call_retry.h"
#include "sources/kubernetes/evictions/eviction_intent.h"

namespace jettison::kube {

// How an eviction ended for the API server.
enum class EvictionEnd : std::uint8_t {
  kDeleted,  // the server has taken the DELETE
  kGone,     // there was no such pod any more
  kGivenUp,  // it could not be told within PodEviction::kMostTime
};

// A call of an eviction: its purpose is kMarkPod or kDeletePod.
struct EvictionCall {
  CallPurpose purpose = CallPurpose::kDeletePod;
  ApiCall call;
  Duration timeout{0};
};

// What the API server is told of one pod whose processes have been told to end: the mark
// (DisruptionTarget, with reason and message) and the DELETE, both at once, until the DELETE is
// taken. A pure state machine.
//
// Without a DELETE within the second the kubelet starts the pod's containers again, so nothing is
// waited for but, for a moment, the taint of the node: the object that replaces the pod exists 30
// ms after the DELETE, before the memory of this one is free.
class PodEviction {
 public:
  // How long the calls wait for the taint: the time that it takes where the node has to be read
  // first, and a third more.
  static constexpr Duration kTaintPatience = std::chrono::milliseconds(60);
  // A mark counts as long as the kubelet has not written its last word on the pod, which takes it
  // tens of milliseconds from the DELETE on.
  static constexpr Duration kMarkAfterDelete = std::chrono::milliseconds(50);
  // The server answers within 20 ms. An answer that got lost on the way is not waited for: within
  // a second the kubelet starts the containers again.
  static constexpr Duration kFirstTimeout = std::chrono::milliseconds(500);
  // The time limit of later tries, for a server that takes seconds.
  static constexpr Duration kTimeout = std::chrono::seconds(5);
  // After this time the shortage for which the pod was evicted is over, whatever the API server
  // knows.
  static constexpr Duration kMostTime = std::chrono::hours(1);

  // `evicted_at`: when the pod was told to end. The calls are due by `first_due`.
  PodEviction(EvictionIntent intent, Instant evicted_at, Instant first_due);

  // Nothing is waited for any more: the taint is in place, or cannot be had.
  void TaintSettled(Instant now);
  // When something is due; absent: answers are awaited, or it is over.
  [[nodiscard]] std::optional<Instant> due() const;
  // The calls to be made now; none where nothing is due, or where it has just been given up.
  [[nodiscard]] std::vector<EvictionCall> TakeCalls(Instant now, WallTime wall);
  // What became of one of them.
  void Take(CallPurpose purpose, const Outcome& outcome, Instant now);

  // How it ended; absent: it goes on.
  [[nodiscard]] std::optional<EvictionEnd> end() const { return end_; }
  [[nodiscard]] const EvictionIntent& intent() const { return intent_; }

 private:
  [[nodiscard]] bool MarkIsDue(Instant now) const;
  void TakeMark(const Outcome& outcome, Instant now);
  void TakeDelete(const Outcome& outcome, Instant now);

  EvictionIntent intent_;
  Instant give_up_at_;
  Instant due_;  // of the next calls
  bool is_tried_ = false;
  bool awaits_mark_ = false;
  bool awaits_delete_ = false;
  bool is_marked_ = false;
  bool is_gone_ = false;  // as the answer to a mark has it
  std::optional<Instant> deleted_at_;
  Instant mark_due_;
  CallRetry mark_retry_;
  CallRetry delete_retry_;
  std::optional<EvictionEnd> end_;
};

}  // namespace jettison::kube
