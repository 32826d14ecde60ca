#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/node_calls.h"
#include "sources/kubernetes/objects/api_node.h"

namespace jettison::kube {

// Keeps the agent's taints on its node up to date: a taint is there while its condition holds or
// pods are evicted for it. One call is under way at a time. The node is read once, at the start,
// for taints that an earlier agent left, and once a minute while the cluster has none of its name;
// otherwise no call is made while nothing changes. A pure state machine.
class PressureTaints {
 public:
  // How long a taint stays after an eviction where the condition is not announced.
  static constexpr Duration kUrgeHolds = std::chrono::seconds(30);
  // How long a taint of an earlier agent stays unless Set says that its condition does not hold: by
  // then the agent has looked at the node.
  static constexpr Duration kLeftoversStay = std::chrono::seconds(30);
  // Between two tries to read the node where nothing else is to be done.
  static constexpr Duration kReadEvery = std::chrono::minutes(1);

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

  [[nodiscard]] bool IsInPlace(NodeConditionType condition) const;
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
    [[nodiscard]] bool IsWanted() const { return holds || urged_until.has_value(); }
  };

  [[nodiscard]] Wish& Of(NodeConditionType condition) { return wishes_[IndexOf(condition)]; }
  [[nodiscard]] const Wish& Of(NodeConditionType condition) const {
    return wishes_[IndexOf(condition)];
  }
  void ForgetOldUrges(Instant now);
  // When its taint is to be changed; absent: it is as it should be.
  [[nodiscard]] std::optional<Instant> DueFor(const Wish& wish) const;
  void Begin(Instant now);
  void End(const Outcome& outcome, Instant now);
  void Note(const ApiNode& node);

  std::string name_;
  Instant leftovers_from_;
  std::array<Wish, kNodeConditionCount> wishes_{};
  bool retired_ = false;
  std::optional<ApiNode> node_;
  bool was_read_ = false;  // in this life
  std::optional<TaintChange> change_;
  bool is_awaited_ = false;  // an answer
  CallPurpose purpose_ = CallPurpose::kReadNode;
  bool failed_ = false;  // the last time
  Instant not_before_ = Instant::min();
  Instant read_not_before_ = Instant::min();
  CallRetry retry_;
};

}  // namespace jettison::kube
