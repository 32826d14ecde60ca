#pragma once

#include <optional>

#include "agent/agent.h"

namespace jettison {

// While this lives, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE do not end the program: they are
// remembered, and stop the agent if one is set. One that was ignored before stays ignored (nohup).
// At most one at a time may live.
class DemoInterruption {
 public:
  DemoInterruption();
  DemoInterruption(const DemoInterruption&) = delete;
  DemoInterruption& operator=(const DemoInterruption&) = delete;
  ~DemoInterruption();

  // The agent to be stopped from now on; it must be taken back (null) before it goes. Stops it at
  // once where a signal has come already. After `limit_seconds` it is stopped in any case.
  void Stops(Agent* agent, unsigned limit_seconds = 0);
  // The first signal that came; absent: none so far.
  [[nodiscard]] std::optional<int> Signal() const;
};

}  // namespace jettison
