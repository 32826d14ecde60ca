#pragma once

#include <vector>

#include "sim/frames/frame.h"
#include "sim/frames/pod_course.h"

namespace jettison {

// The frames that lie between two others by what is known of that time beside them: pods that were
// evicted or killed, with the most that they held, and the least that the node had left. In the
// order of time; empty where nothing is known. Ends that get a frame of their own are taken out of
// `to`.
//
// A pod that ended held the most that is known of it then, and all others lie on the line between
// the two frames. When it was is read off how the pod grew before, unless the recording knows.
[[nodiscard]] std::vector<Frame> LowsBetween(const Frame& from, Frame& to,
                                             const std::vector<RecordedCourse>& courses);

}  // namespace jettison
