#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/objects/api_objects.h"

namespace jettison::kube {

// The conditions that are published in the cluster. The condition for I/O stalls is not: the pods
// that are evicted for it are few and large, and new pods do not make it worse by their presence.
inline constexpr std::array kToldConditions = {NodeConditionType::kMemoryPressure,
                                               NodeConditionType::kDiskPressure,
                                               NodeConditionType::kPidPressure};

// How a condition appears on the node's API object. Type and taint are the agent's own, because the
// kubelet rewrites its own conditions every ten seconds by its own view of the node.
struct PressureWords {
  std::string_view type;   // "JettisonMemoryPressure"
  std::string_view taint;  // "jettison.io/memory-pressure"
  std::string_view reason;
  std::string_view message;
  std::string_view none_reason;
  std::string_view none_message;
};
// Absent: nobody is told of it.
[[nodiscard]] std::optional<PressureWords> WordsOf(NodeConditionType condition);

// Keeps the agent's conditions on its node as they should be. They are written when they change,
// and once a minute while one holds, so that others see whether the agent still looks. A condition
// that never held is not written. One call is under way at a time. A pure state machine.
class PressureConditions {
 public:
  // Of conditions that hold.
  static constexpr Duration kHeartbeat = std::chrono::minutes(1);

  // Conditions that an earlier agent left are removed from `leftovers_from` on, unless Set has said
  // whether they hold: then they are True or False like any other.
  PressureConditions(std::string node, Instant leftovers_from);

  // Whether the condition holds, from this moment on if that is news.
  void Set(NodeConditionType condition, bool holds, WallTime now);
  // Removes all of them from the node.
  void Retire() { retired_ = true; }
  // The node as it was at the start, with what an earlier agent left.
  void Found(const ApiNode& node);

  // The call to be made now; absent: none is due, or one is under way.
  [[nodiscard]] std::optional<ApiCall> TakeCall(Instant now, WallTime wall);
  void Take(const Outcome& outcome, Instant now);
  // When a call is due; absent: an answer is awaited, or all is as it should be.
  [[nodiscard]] std::optional<Instant> due() const;
  // Whether, as far as is known, nothing of the agent's is left on the node, and no call is under
  // way.
  [[nodiscard]] bool IsClean() const;

 private:
  enum class Written : std::uint8_t { kNothing, kNone, kPressure, kUnknown };
  struct Line {
    bool is_told = false;  // somebody has said whether it holds
    bool holds = false;
    WallTime since;
    Written written = Written::kNothing;
    Written being_written = Written::kNothing;
    std::optional<WallTime> found_since;  // as an earlier life wrote it
    [[nodiscard]] bool IsLeftover() const { return written != Written::kNothing && !is_told; }
  };

  [[nodiscard]] Line& Of(NodeConditionType condition) { return lines_[IndexOf(condition)]; }
  [[nodiscard]] static bool IsWrong(const Line& line);
  [[nodiscard]] std::vector<std::string> TakeRemovals(Instant now);
  [[nodiscard]] std::vector<NodeCondition> TakeLines(WallTime wall);

  std::string name_;
  Instant leftovers_from_;
  std::array<Line, kNodeConditionCount> lines_{};
  bool retired_ = false;
  bool is_awaited_ = false;
  Instant not_before_ = Instant::min();
  std::optional<Instant> heartbeat_at_;  // absent: none holds on the node
  CallRetry retry_;
};

// Keeps the agent's taints on its node up to date: a taint is there while its condition holds or
// pods are evicted for it. One call is under way at a time: one for a change where the node's state
// is known; after a conflict or another failure, the node is read first. The node is read once, at
// the start, for taints that an earlier agent left, and once a minute while the cluster has none of
// its name; otherwise no call is made while nothing changes. A pure state machine.
class PressureTaints {
 public:
  // How long a taint stays after an eviction where the condition is not announced.
  static constexpr Duration kUrgeHolds = std::chrono::seconds(30);
  // How long a taint of an earlier agent stays unless Set says that its condition does not hold: by
  // then the agent has looked at the node.
  static constexpr Duration kLeftoversStay = std::chrono::seconds(30);
  // Between two tries to read the node where nothing else is to be done.
  static constexpr Duration kReadEvery = std::chrono::minutes(1);
  // After more conflicts in a row than this a change is tried later: some other client writes the
  // node all the time.
  static constexpr int kMostConflicts = 5;

  PressureTaints(std::string node, Instant now);

  // Whether the condition holds from now on.
  void Set(NodeConditionType condition, bool holds);
  // Pods are evicted for it now.
  void Urge(NodeConditionType condition, Instant now);
  // Removes all of them from the node.
  void Retire() { retired_ = true; }
  // The node as the answer to another caller's request shows it.
  void Seen(const ApiNode& node);

  // The call to be made now; absent: none is due, or one is under way.
  [[nodiscard]] std::optional<ApiCall> TakeCall(Instant now);
  // What the call that is under way is for.
  [[nodiscard]] CallPurpose purpose() const { return purpose_; }
  void Take(const Result<ApiReply>& reply, Instant now);
  // When a call is due; absent: an answer is awaited, or all is as it should be.
  [[nodiscard]] std::optional<Instant> due() const;

  // Whether there is nothing to wait for: the taint is in place, or the last call failed.
  [[nodiscard]] bool IsSettled(NodeConditionType condition) const;
  // Whether, as far as is known, nothing of the agent's is left on the node, and no call is under
  // way.
  [[nodiscard]] bool IsClean() const;
  // The node's last state that was seen.
  [[nodiscard]] const std::optional<ApiNode>& node() const { return node_; }

 private:
  struct Wish {
    bool is_told = false;  // somebody has said whether it holds
    bool holds = false;
    std::optional<Instant> urged_until;
    bool is_in_place = false;
    bool may_be_there = false;  // as `is_in_place`, or a call that would do it was not answered
  };

  [[nodiscard]] Wish& Of(NodeConditionType condition) { return wishes_[IndexOf(condition)]; }
  [[nodiscard]] const Wish& Of(NodeConditionType condition) const {
    return wishes_[IndexOf(condition)];
  }
  [[nodiscard]] bool IsWanted(const Wish& wish) const {
    return !retired_ && (wish.holds || wish.urged_until);
  }
  void ForgetOldUrges(Instant now);
  // When its taint is to be changed; absent: it is as it should be.
  [[nodiscard]] std::optional<Instant> DueFor(const Wish& wish) const;
  void Note(const ApiNode& node);

  std::string name_;
  Instant leftovers_from_;
  std::array<Wish, kNodeConditionCount> wishes_{};
  bool retired_ = false;
  std::optional<ApiNode> node_;  // absent: it is read before the next change
  bool was_read_ = false;        // in this life
  bool is_awaited_ = false;      // an answer
  CallPurpose purpose_ = CallPurpose::kReadNode;
  int conflicts_ = 0;    // in a row
  bool failed_ = false;  // the last time
  Instant not_before_ = Instant::min();
  Instant read_not_before_ = Instant::min();
  CallRetry retry_;
};

}  // namespace jettison::kube
