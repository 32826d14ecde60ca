#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "pods/run_dependencies.h"
#include "sources/foreign/foreign_roster.h"
#include "sources/foreign/found_foreign_pod.h"

namespace jettison {

// The group of a pod that the agent ends, in which whoever runs the pod is to start nothing any
// more, until that software has been told. A kubelet, for instance, starts the containers again for
// as long as the pod is not deleted; the caller that evicts the pod deletes it.
class HeldGroup : public PodKeeper, public std::enable_shared_from_this<HeldGroup> {
 public:
  enum class State : std::uint8_t {
    kGone,
    kHeld,
    kToHold,  // the limit could not be set, or there is something new: KeepDown is due again
  };
  using OnDown = std::function<void(std::shared_ptr<HeldGroup>)>;

  // `dependencies` must outlive it; `known` are the groups of the sandbox and of the containers
  // that ran when the pod was found. `on_down` is told once, when we have ended all that ran in the
  // pod.
  HeldGroup(RunDependencies& dependencies, std::string group, std::set<std::string> known,
            OnDown on_down);

  // With a limit of no processes in the pod's group the kubelet can start none. What it has started
  // in spite of that, because a container used its grace period, this agent was late or the limit
  // could not be set, is killed.
  State KeepDown();

  void Hold() override { KeepDown(); }
  void TakeDown(Duration, Done done) override {
    on_down_(shared_from_this());
    done({});
  }
  [[nodiscard]] std::string_view HowItEnds() const override { return "hold the group"; }

 private:
  // Whether anything is there that the agent has not ended.
  [[nodiscard]] bool KillNew();
  void Note(std::string_view what, const Result<void>& result);

  RunDependencies& dependencies_;
  std::string group_;
  std::set<std::string> known_;
  OnDown on_down_;
  Complaints complaints_;
};

}  // namespace jettison
