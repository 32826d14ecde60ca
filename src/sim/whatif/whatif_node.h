#pragma once

#include <vector>

#include "core/model/profile.h"
#include "sim/frames/frame.h"
#include "sim/frames/pod_course.h"
#include "sim/whatif/whatif_model.h"

namespace jettison {

// What all policies of a simulation look at.
struct WhatIfNode {
  const PodRoster& roster;
  const std::vector<RecordedCourse>& courses;  // until the frame that a segment begins with
  const WhatIfModel& model;
  Duration interval{0};  // from pass to pass by the clock
  Profile profile = Profile::kKubelet;
  // Nothing that the policy in force did is taken from the recording: neither the state of its
  // passes nor its decisions.
  bool blind = false;
  bool keep_passes = false;  // of evictions, so that they can be explained
};

}  // namespace jettison
