#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/node_calls.h"
#include "sources/kubernetes/objects/api_node.h"

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
  [[nodiscard]] const Line& Of(NodeConditionType condition) const {
    return lines_[IndexOf(condition)];
  }
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

}  // namespace jettison::kube
