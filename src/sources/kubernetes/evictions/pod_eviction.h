#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_complaints.h"

namespace jettison::kube {

// A pod that the agent has begun to end on this node and whose eviction the API server does not
// know of yet.
struct EvictionIntent {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string message;            // of its status: "The node was low on resource: memory. ..."
  bool disruption_target = true;  // false: the pod exceeded a limit of its own
  std::int64_t grace_seconds = 0;
  WallTime evicted_at;
  std::string boot_id;  // of the machine's boot in which that was; empty: not known
  // The group in which no new process can start, relative to the node's own group; empty: none.
  std::string held_group;
  std::optional<std::int64_t> pids_limit;  // what the group had before; absent: no limit
  friend bool operator==(const EvictionIntent&, const EvictionIntent&) = default;
};

// How an eviction ended for the API server.
enum class EvictionEnd : std::uint8_t {
  kDeleted,  // the server has taken the DELETE
  kGone,     // there was no such pod any more
  kGivenUp,  // it was tried, and could not be told within PodEviction::kMostTime
};

// A call of an eviction: its purpose is kMarkPod or kDeletePod.
struct EvictionCall {
  CallPurpose purpose = CallPurpose::kDeletePod;
  ApiCall call;
  Duration timeout{0};
};

// What the API server is told of one pod whose processes have been told to end: the mark
// (reason, message, and DisruptionTarget for node pressure) at once, and the DELETE, until it is
// taken. A pure state machine.
//
// The DELETE waits a moment for the taint of the node, because the object that replaces the pod
// exists 30 ms after it, before the memory of this one is free. Without a DELETE within the second
// the kubelet starts the pod's containers again.
class PodEviction {
 public:
  // How long the DELETE waits for the taint. An API server sets the taint within 45 ms where the
  // node has to be read first, and takes several times as long on a busy machine. Of containers
  // whose DELETE comes 0.2 s late the kubelet starts one in ten again at most, and what it starts
  // is ended with the pod.
  static constexpr Duration kTaintPatience = std::chrono::milliseconds(200);
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

  // `evicted_at`: when the pod was told to end. The DELETE is due by `delete_due`.
  PodEviction(EvictionIntent intent, Instant evicted_at, Instant delete_due);

  // The DELETE waits no longer: the taint is in place, or cannot be had.
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
  // One of the two calls.
  struct Step {
    Instant due;
    bool is_tried = false;
    bool is_awaited = false;
    CallRetry retry;

    // Notes that the call is made; its time limit.
    Duration Begin();
  };

  [[nodiscard]] bool Counts(Instant mark_at) const;
  [[nodiscard]] bool IsDue(const Step& step, Instant now) const {
    return !step.is_awaited && now >= step.due;
  }
  // Never without a try: the age of an eviction of an earlier agent is wrong by as much as the wall
  // clock was set since.
  [[nodiscard]] bool MayGiveUp() const {
    return delete_.is_tried && !deleted_at_ && !delete_.is_awaited;
  }
  void TakeMark(const Outcome& outcome, Instant now);
  void TakeDelete(const Outcome& outcome, Instant now);

  EvictionIntent intent_;
  Instant give_up_at_;
  Step mark_;
  Step delete_;
  bool is_marked_ = false;
  std::optional<Instant> deleted_at_;
  std::optional<EvictionEnd> end_;
};

}  // namespace jettison::kube
