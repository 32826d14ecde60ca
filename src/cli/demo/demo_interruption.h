#pragma once

#include <optional>

#include "agent/agent.h"

namespace jettison {

// While this object lives, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE do not end the program.
// They are remembered, and they stop the agent if one is set. A signal that was ignored before
// stays ignored (nohup). Only one such object may exist at a time.
class DemoInterruption {
 public:
  DemoInterruption();
  DemoInterruption(const DemoInterruption&) = delete;
  DemoInterruption& operator=(const DemoInterruption&) = delete;
  ~DemoInterruption();

  // Sets the agent to be stopped; null before the agent is destroyed. Stops it at once where a
  // signal has already arrived, and in any case after `limit_seconds`.
  void Stops(Agent* agent, unsigned limit_seconds = 0);
  // The first signal that came; absent: none so far.
  [[nodiscard]] std::optional<int> Signal() const;
};

}  // namespace jettison
