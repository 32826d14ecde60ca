#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "containers/run_edges.h"
#include "core/units/result.h"
#include "sources/foreign/complaints.h"

namespace jettison::kube {

// The group of a pod that the agent ends, in which the kubelet is to start nothing any more.
class HeldGroup {
 public:
  enum class State : std::uint8_t {
    kGone,
    kHeld,
    kToHold,  // the limit could not be set, or there is something new: Hold must be called again
  };

  // `edges` must outlive it; `known` are the groups of the sandbox and of the containers that ran
  // when the pod was found.
  HeldGroup(RunEdges& edges, std::string group, std::set<std::string> known);

  // With a limit of no processes in the pod's group the kubelet can start none. What it has started
  // in spite of that, because a container used its grace period, this agent was late or the limit
  // could not be set, is killed.
  State Hold();

 private:
  // Whether anything is there that the agent has not ended.
  [[nodiscard]] bool KillNew();
  void Note(std::string_view what, const Result<void>& result);

  RunEdges& edges_;
  std::string group_;
  std::set<std::string> known_;
  Complaints complaints_;
};

}  // namespace jettison::kube
