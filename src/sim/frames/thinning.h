#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "core/units/duration.h"
#include "sim/frames/frame.h"

namespace jettison {

// What a recording would tell that was taken by the clock alone.
struct ThinningRule {
  Duration every{0};  // at least so long from frame to frame; zero: each pass by the clock
  // Keep the least that was available in between, and the most that each pod held, as counters of
  // the kernel tell them (memory.peak): the amounts, not when it was.
  bool peaks = true;
  // Keep when pods were evicted or killed, as the statuses of containers tell it, and not only that
  // they were.
  bool end_times = false;
};

// Thins frames. Passes that evicted are left out always: they are there because a policy was in
// force. That a pod was evicted since the frame before stays known, but not when it was.
class Thinning {
 public:
  using Take = std::function<void(Frame&)>;
  Thinning(ThinningRule rule, Take take) : rule_(rule), take_(std::move(take)) {}

  void Add(Frame& frame);
  // The last frame is kept, however soon it comes.
  void Finish();

 private:
  void LeaveOut(const Frame& frame);
  void Keep(Frame& frame);

  ThinningRule rule_;
  Take take_;
  std::optional<Instant> last_;
  std::optional<Frame> spare_;    // the last that was left out by the clock alone
  std::optional<Frame> between_;  // the extremes since then, as a frame
};

}  // namespace jettison
