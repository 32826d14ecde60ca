#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/log/log.h"
#include "agent/loop/job_queue.h"
#include "core/units/duration.h"

namespace jettison {

// Looks every 5 s whether a root that could not be written when the agent started can be by now.
// A disk may hang, so it does not look on the loop.
class RootWatch {
 public:
  // `problem`: why the root is not used as it should be; empty: it is. `can_be_written` must own
  // what it uses; empty: nothing is looked at, and the problem stays. `log` must outlive this.
  RootWatch(std::string problem, std::function<bool()> can_be_written, const Log& log);

  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }
  // What is wrong still; empty: nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
  std::function<bool()> can_be_written_;
  const Log& log_;
  std::optional<Instant> next_;  // absent: at once
  // Shared with the thread, which is left behind if it hangs.
  std::shared_ptr<std::atomic<bool>> is_back_ = std::make_shared<std::atomic<bool>>(false);
  std::unique_ptr<JobQueue> looks_;  // null: nothing is looked at
};

}  // namespace jettison
