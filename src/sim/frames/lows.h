#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "sim/frames/frame.h"
#include "sim/frames/pod_course.h"

namespace jettison {

// The frames that lie between two others by what is known of that time beside them: pods that were
// evicted or killed, with the most that they held, and the least that the node had left. In the
// order of time; empty where nothing is known. Ends that get a frame of their own are taken out of
// `to`.
//
// A pod that ended held the most that is known of it then, and all others lie on the line between
// the two frames. When it was is read off how the pod grew before.
[[nodiscard]] std::vector<Frame> LowsBetween(const Frame& from, Frame& to,
                                             const std::vector<RecordedCourse>& courses);

// Thins frames to what a recording would tell that was taken by the clock alone. Passes that
// evicted are left out always: they are there because a policy was in force. That a pod was evicted
// since the frame before stays known, but not when it was. So do the least that was available in
// between, and the most that each pod held, as counters of the kernel tell them (memory.peak).
class Thinning {
 public:
  using Take = std::function<void(Frame&)>;
  // `every`: at least so long from frame to frame; zero: each pass by the clock.
  Thinning(Duration every, Take take) : every_(every), take_(std::move(take)) {}

  void Add(Frame& frame);
  // The last frame is kept, however soon it comes.
  void Finish();

 private:
  void LeaveOut(const Frame& frame);
  void Keep(Frame& frame);

  Duration every_;
  Take take_;
  std::optional<Instant> last_;
  std::optional<Frame> spare_;    // the last that was left out by the clock alone
  std::optional<Frame> between_;  // the extremes since then, as a frame
};

}  // namespace jettison
